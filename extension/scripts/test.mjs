// The unit tests: bundles those of test/unit and hands them to node's own runner.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join, resolve } from 'node:path';
import { build } from 'esbuild';

const tests = readdirSync('test/unit').filter((file) => file.endsWith('.test.ts')).map((file) => join('test/unit', file));
const outdir = mkdtempSync(join(tmpdir(), 'agentfs-unit-'));
try {
  await build({
    entryPoints: tests,
    outdir,
    outExtension: { '.js': '.cjs' },
    bundle: true,
    alias: { vscode: resolve('test/unit/support/vscode.ts') },
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  const built = tests.map((file) => join(outdir, basename(file, '.ts') + '.cjs'));
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...built], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
