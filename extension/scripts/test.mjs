// The unit tests: bundles every *.test.ts below src and hands them to node's own runner.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';

const tests = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.test.ts'))
  .map((file) => join('src', file));
const outdir = mkdtempSync(join(tmpdir(), 'agentfs-unit-'));
try {
  await build({
    entryPoints: tests,
    outdir,
    outbase: 'src',
    outExtension: { '.js': '.cjs' },
    bundle: true,
    format: 'cjs',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'warning',
  });
  const built = tests.map((file) => join(outdir, file.slice('src/'.length).replace(/\.ts$/, '.cjs')));
  const { status } = spawnSync(process.execPath, ['--enable-source-maps', '--test', ...built], {
    stdio: 'inherit',
  });
  process.exitCode = status ?? 1;
} finally {
  rmSync(outdir, { recursive: true, force: true });
}
