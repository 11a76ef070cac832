// Bundles the report's page into one HTML file with nothing to load: node build.mjs OUTPUT
import { build } from 'esbuild';
import { readFileSync, writeFileSync } from 'node:fs';

const result = await build({
  entryPoints: ['main.js'],
  bundle: true,
  minify: true,
  write: false,
  format: 'iife',
  target: ['es2020'],
  legalComments: 'none',
  charset: 'ascii',
  define: { 'process.env.NODE_ENV': '"production"' },
});
const css = (await build({ entryPoints: ['style.css'], bundle: true, minify: true, write: false })).outputFiles[0].text;
// "</script" would end the element early; "\u003c" is the same character inside JavaScript strings.
const js = result.outputFiles[0].text.replaceAll('</script', '\\u003c/script');
const echarts = JSON.parse(readFileSync('node_modules/echarts/package.json', 'utf8'));
const page = readFileSync('page.html', 'utf8')
  .replace('/*STYLE*/', () => css)
  .replace('/*SCRIPT*/', () => js)
  .replace('<!--NOTICE-->', () => `<!-- Plots: Apache ECharts ${echarts.version}, Apache License 2.0. -->`);
writeFileSync(process.argv[2], page);
