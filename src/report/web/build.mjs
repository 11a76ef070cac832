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
// The page carries the licences of what is in it: reports are passed on without anything else of ikat.
const text = (name) => readFileSync(`node_modules/${name}`, 'utf8').trim().replaceAll('-->', '-- >');
const echarts = JSON.parse(text('echarts/package.json'));
const notice = [
  `Plots: Apache ECharts ${echarts.version}, Apache License 2.0 (as ikat itself), with the parts below.`,
  text('echarts/NOTICE'),
  `zrender\n\n${text('zrender/LICENSE')}`,
  `d3\n\n${text('echarts/licenses/LICENSE-d3')}`,
  `tslib\n\n${text('tslib/LICENSE.txt')}`,
].join('\n\n').replaceAll('\r', '');
const page = readFileSync('page.html', 'utf8')
  .replace('/*STYLE*/', () => css)
  .replace('/*SCRIPT*/', () => js)
  .replace('<!--NOTICE-->', () => `<!--\n${notice}\n-->`);
writeFileSync(process.argv[2], page);
