import assert from 'node:assert/strict';
import { test } from 'node:test';
import { entryOf, launchersIn, shellLine } from '../../src/views/programs';

test('the script of an extension is found in JSON and in TOML', () => {
  const script = '/home/me/.vscode/extensions/agentfs.agentfs-0.1.0/bundled/run_server.py';
  assert.deepEqual(launchersIn(`{"command": "python3", "args": ["-I", ${JSON.stringify(script)}, "mcp"]}`), [script]);
  assert.deepEqual(launchersIn(`args = ["-S", "${script}", "mcp"] # mine\n`), [script]);
  const windows = 'C:\\agentfs-1\\bundled\\run_server.py';
  assert.deepEqual(launchersIn(JSON.stringify([windows])), [windows]);
});

test('what starts another server is none', () => {
  for (const other of ['agentfs-lsp', '/opt/tool/bundled/run_server.py', '/x/agentfs/run_server.py', '/x/agentfs-1/bundled/run_server.py.old']) {
    assert.deepEqual(launchersIn(JSON.stringify({ command: other })), [], other);
  }
});

test('settings that are made to be hard to search are no work', () => {
  const begun = performance.now();
  for (const hard of [`"${'\\"'.repeat(499_000)}`, `"${'\\"'.repeat(5_000_000)}`, `"${'agentfs'.repeat(100_000)}"`, '"\n'.repeat(500_000)]) {
    assert.deepEqual(launchersIn(hard), []);
  }
  assert.ok(performance.now() - begun < 5000);
});

test('another program gets the command as an entry for its settings, or as a line for a shell', () => {
  const command = ['/usr/bin/python3', "/home/me/it's here/run_server.py", 'mcp'];
  assert.deepEqual(JSON.parse(entryOf(command)), { mcpServers: { agentfs: { command: command[0], args: command.slice(1) } } });
  assert.equal(shellLine(command), `/usr/bin/python3 '/home/me/it'"'"'s here/run_server.py' mcp`);
});
