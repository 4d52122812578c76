// Bundles the extension. --production: minified, without source maps. --watch: again after every change.
import { context } from 'esbuild';

const production = process.argv.includes('--production');
const watch = process.argv.includes('--watch');

const building = await context({
  entryPoints: ['src/extension.ts'],
  outdir: 'dist',
  bundle: true,
  format: 'cjs',
  platform: 'node',
  target: 'node20',
  external: ['vscode'],
  minify: production,
  sourcemap: !production,
  logLevel: 'warning',
});

if (watch) {
  await building.watch();
} else {
  await building.rebuild();
  await building.dispose();
}
