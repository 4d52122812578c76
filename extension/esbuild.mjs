// Bundles the extension. --production: minified, without source maps, and with the licenses of all packages that are in
// it, which their licenses require. --watch: again after every change.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
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
  metafile: true,
});

function licenses(inputs) {
  const folders = inputs.map((file) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+(?=\/)/.exec(file)?.[0]);
  return [...new Set(folders)].filter(Boolean).sort().map((folder) => {
    const license = readdirSync(folder).find((name) => /^licen[cs]e/i.test(name));
    if (license === undefined) {
      throw new Error(`${folder} has no license to pack`);
    }
    return `${basename(folder)}\n\n${readFileSync(join(folder, license), 'utf8').trim()}\n`;
  });
}

if (watch) {
  await building.watch();
} else {
  const { metafile } = await building.rebuild();
  if (production) {
    writeFileSync('dist/LICENSES.txt', licenses(Object.keys(metafile.inputs)).join('\n---\n\n'));
  }
  await building.dispose();
}
