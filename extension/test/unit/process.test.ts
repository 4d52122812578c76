import assert from 'node:assert/strict';
import { once } from 'node:events';
import { test } from 'node:test';
import { ServerProcess } from '../../src/server/process';

/** A log that can be looked at. */
function recorder(): { lines: string[]; log: ConstructorParameters<typeof ServerProcess>[1] } {
  const lines: string[] = [];
  const at = (level: string) => (message: string | Error) => void lines.push(`${level}: ${String(message)}`);
  return { lines, log: { debug: at('debug'), info: at('info'), warn: at('warn'), error: at('error') } };
}

const node = (script: string): { command: string; args: readonly string[]; cwd: string } => ({
  command: process.execPath,
  args: ['-e', script],
  cwd: process.cwd(),
});

const ENDS_WITH_INPUT = 'process.stdin.resume()';
const STAYS = 'setInterval(() => 0, 1000); process.on("SIGTERM", () => 0); process.stdin.resume()';

test('the log tells which process was started, and an end that nobody asked for as an error', async () => {
  const { lines, log } = recorder();
  const child = await new ServerProcess(node(ENDS_WITH_INPUT), log).start();
  child.kill('SIGKILL');
  await once(child, 'exit');
  assert.deepEqual(lines, [
    `info: Started process ${child.pid}: ${process.execPath} -e ${ENDS_WITH_INPUT}`,
    `error: Process ${child.pid} was ended by SIGKILL`,
  ]);
});

test('an end that was asked for is no error', async () => {
  const { lines, log } = recorder();
  const server = new ServerProcess(node(ENDS_WITH_INPUT), log);
  const child = await server.start();
  server.end();
  await once(child, 'exit');
  assert.equal(lines.at(-1), `info: Process ${child.pid} ended with exit code 0`);
});

test('a process that does not end is killed', async () => {
  const server = new ServerProcess(node(STAYS), recorder().log);
  const child = await server.start();
  server.end();
  await once(child, 'exit');
  assert.equal(child.signalCode, 'SIGKILL');
});

test('writing to a process that is gone raises nothing', async () => {
  const server = new ServerProcess(node(ENDS_WITH_INPUT), recorder().log);
  const child = await server.start();
  child.kill('SIGKILL');
  await once(child, 'exit');
  await new Promise<void>((resolve) => child.stdin.write('x', () => resolve()));
});

test('what can’t be started rejects', async () => {
  const server = new ServerProcess({ command: '/nowhere/python3', args: [], cwd: '/' }, recorder().log);
  await assert.rejects(server.start(), /ENOENT/);
});

test('how it ended: a signal, its last words, an exit code, or why it could not be started', async () => {
  const endOf = async (command: ReturnType<typeof node>): Promise<string> => {
    const server = new ServerProcess(command, recorder().log);
    await server.start().catch(() => undefined);
    return server.ended;
  };
  assert.equal(await endOf(node('console.error("a warning"); process.kill(process.pid, "SIGKILL")')), 'SIGKILL');
  assert.equal(await endOf(node('console.error("Traceback\\nNo module"); process.exitCode = 1')), 'No module');
  assert.equal(await endOf(node('process.exitCode = 3')), 'exit code 3');
  assert.match(await endOf({ command: '/nowhere/python3', args: [], cwd: '/' }), /ENOENT/);
});

test('one that is ended before it has come to run does not stay', async () => {
  const server = new ServerProcess(node(ENDS_WITH_INPUT), recorder().log);
  const started = server.start();
  server.end();
  await started;
  assert.equal(await server.ended, 'exit code 0');
});

test('the connection closes with the process, even if a process that it started lives on', async () => {
  const leavesOne =
    'const child = require("child_process").spawn("sleep", ["1000"], { stdio: "inherit" }); child.on("spawn", () => console.log(child.pid))';
  const server = new ServerProcess(node(leavesOne), recorder().log);
  const child = await server.start();
  const [left] = (await once(child.stdout, 'data')) as [Buffer];
  try {
    child.kill('SIGKILL');
    await server.ended;
    assert.ok(child.stdout.destroyed);
  } finally {
    process.kill(Number(left.toString()));
  }
});
