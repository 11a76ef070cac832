// SPDX-License-Identifier: Apache-2.0
// Line plots with confidence intervals.
import * as echarts from 'echarts/core';
import { LineChart, CustomChart } from 'echarts/charts';
import { GridComponent, TooltipComponent, AriaComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
import { el, slug } from './dom.js';
import { kept } from './kept.js';
import { composed, FONT, sample, saves } from './saves.js';
import * as state from './state.js';
import { svg } from './svg.js';
import { css, DASHES, onTheme, seriesColour } from './theme.js';

echarts.use([LineChart, CustomChart, GridComponent, TooltipComponent, AriaComponent, SVGRenderer]);

const SYMBOLS = ['circle', 'rect', 'triangle', 'diamond']; // filled, then hollow
const MOST_MARKS = 60; // points of a line that are marked one by one
const MOST_MARKED = 200; // lines of a plot whose points are marked
const MOST_KEYS = 8; // curves that the legend names one by one where it could name their values
const MOST_TOLD = 14; // curves that the box under the pointer names
const FILE_WIDTH = 720;
const hollow = (symbol) => symbol % 8 >= 4;
const dashOf = (line) => DASHES[(line.dash ?? 0) % DASHES.length];

// What points beyond saturation look like, and what that means.
export const PAST_SHORT = 'the latency does not last or cannot be told: past saturation it grows with the run';
const PAST_KEY = { colour: -1, dash: -1, symbol: 0, past: true };
const DIAGONAL = 'all that is offered';

const small = (node, width = 30) => { const box = svg('svg', { width, height: 14, 'aria-hidden': 'true' }); box.append(node); return box; };
const diagonalSample = () => svg('g', {}, svg('line', { x1: 0, x2: 30, y1: 7, y2: 7, stroke: css('--soft'), 'stroke-width': 1.5, 'stroke-dasharray': '1.5 2' }));
const anyPast = (spec) => spec.lines.some((l) => l.points.some((p) => p.past));
// Why points are hollow: past saturation, or (open) they are not steady.
const pastText = (spec) => {
  const points = spec.lines.flatMap((l) => l.points.filter((p) => p.past));
  return [points.some((p) => !p.open) && PAST_SHORT, points.some((p) => p.open) && 'not steady, or too short to tell'].filter(Boolean).join('; or ');
};

// What the legend has: a line of each curve, or where these are many and their looks come from values, a line of each value.
// [{ name: axis or '', items: [{ text, whole, look, lines: Set of their numbers }] }]
function legendGroups(spec) {
  const { lines } = spec;
  if (lines.length < 2 && !spec.diagonal) return [];
  if (spec.keys && lines.length > MOST_KEYS) {
    const groups = spec.keys.map((k) => ({ name: k.axis, items: k.values.map((v) => ({ text: v.text, look: v.style, lines: new Set(lines.flatMap((l, i) => (v.curves.has(l.curve) ? [i] : []))) })).filter((item) => item.lines.size) }));
    return groups.filter((g) => g.items.length > 1);
  }
  return [{ name: '', items: lines.map((line, i) => ({ text: line.name, whole: line.whole, look: { colour: line.colour ?? i, dash: line.dash ?? 0, symbol: line.symbol ?? i }, lines: new Set([i]) })) }];
}

function errorBars(line, colour) {
  return {
    type: 'custom', name: line.name, silent: true, z: 1, data: line.points.filter((p) => p.ci > 0).map((p) => [p.x, p.y - p.ci, p.y + p.ci]),
    encode: { x: 0, y: [1, 2] }, tooltip: { show: false }, itemStyle: { color: colour },
    renderItem(params, api) {
      const low = api.coord([api.value(0), api.value(1)]);
      const high = api.coord([api.value(0), api.value(2)]);
      if (!low.every(Number.isFinite) || !high.every(Number.isFinite)) return null;
      const bar = (x1, y1, x2, y2) => ({ type: 'line', shape: { x1, y1, x2, y2 }, style: { stroke: colour, lineWidth: 1.2 } });
      return { type: 'group', children: [bar(low[0], low[1], high[0], high[1]), bar(low[0] - 4, low[1], low[0] + 4, low[1]),
        bar(high[0] - 4, high[1], high[0] + 4, high[1])] };
    },
  };
}

// spec: { title, label, x: {name, format}, y: {name, format, log, min, max, whole}, lines: [{ name, whole, colour, symbol, dash, curve, points: [{x, y, ci, past, note}] }],
//         diagonal, keys: of looksOf(), key: in the address }
function optionOf(spec, width, font) {
  const text = css('--text'), soft = css('--soft'), rule = css('--rule');
  const axis = (a) => ({
    type: a.log ? 'log' : 'value', name: a.name, nameLocation: 'middle', nameTextStyle: { color: soft, fontSize: 12 },
    axisLabel: { color: soft, formatter: a.format, hideOverlap: true, margin: a.gap ?? 8 }, axisLine: { show: true, lineStyle: { color: rule } },
    splitLine: { lineStyle: { color: rule, opacity: 0.6 } }, min: a.min, max: a.max, minorSplitLine: { show: false },
    minInterval: a.whole ? 1 : undefined, splitNumber: a.steps,
  });
  const bare = spec.lines.length > MOST_MARKED; // only points past saturation have marks then
  const past = (line) => ({ symbol: SYMBOLS[line.symbol % SYMBOLS.length], symbolSize: 9, itemStyle: { color: css('--card'), borderColor: seriesColour(line.colour), borderWidth: 2 } });
  const lines = spec.lines.map((line) => ({
    type: 'line', name: line.name, data: line.points.map((p) => (p.past ? { value: [p.x, p.y], ...past(line) } : [p.x, p.y])), symbol: bare ? 'none' : SYMBOLS[line.symbol % SYMBOLS.length],
    itemStyle: { color: hollow(line.symbol) ? css('--card') : seriesColour(line.colour), borderColor: seriesColour(line.colour), borderWidth: 1.5 },
    symbolSize: 7, showSymbol: line.points.length <= MOST_MARKS, showAllSymbol: true,
    lineStyle: { width: 2, color: seriesColour(line.colour), type: dashOf(line).length ? dashOf(line) : 'solid' }, color: seriesColour(line.colour),
    emphasis: bare ? { disabled: true } : { focus: 'series' }, z: 2,
  }));
  const bars = spec.lines.map((line) => errorBars(line, seriesColour(line.colour))).filter((s) => s.data.length);
  const ideal = spec.diagonal && {
    type: 'line', name: DIAGONAL, data: [[0, 0], [spec.diagonal, spec.diagonal]], symbol: 'none', silent: true,
    lineStyle: { type: [1.5, 2], width: 1.5, color: soft }, color: soft, tooltip: { show: false }, z: 0,
  };
  return {
    animation: false, aria: { enabled: true, label: { description: spec.label } }, textStyle: { fontFamily: font },
    grid: { left: 76, right: 26, top: 14, bottom: 50 },
    tooltip: {
      trigger: 'axis', confine: true, backgroundColor: css('--card'), borderColor: rule, textStyle: { color: text, fontSize: 12 },
      formatter: (items) => tooltip(spec, items),
    },
    xAxis: { ...axis({ ...spec.x, gap: 13, steps: Math.max(1, Math.min(10, Math.floor((width - 102) / 56))) }), nameGap: 32 }, yAxis: { ...axis(spec.y), nameGap: 58 },
    series: [...lines, ...bars, ...(ideal ? [ideal] : [])],
  };
}

function tooltip(spec, items) {
  const lines = items.filter((i) => i.seriesType === 'line' && spec.lines[i.seriesIndex]);
  if (!lines.length) return '';
  const point = (i) => spec.lines[i.seriesIndex].points[i.dataIndex];
  const told = lines.length > MOST_TOLD ? [...lines].sort((a, b) => point(b).y - point(a).y) : lines;
  return el('div', {}, el('strong', {}, `${spec.x.name}: ${spec.x.format(lines[0].value[0])}`), told.slice(0, MOST_TOLD).map((i) => {
    const p = point(i);
    const swatch = el('span', { class: 'swatch' });
    swatch.style.background = seriesColour(spec.lines[i.seriesIndex].colour);
    return el('div', {}, swatch, `${i.seriesName}: ${spec.y.format(p.y)}`, p.ci > 0 ? ` ± ${spec.y.format(p.ci)}` : '', p.note ? ` (${p.note})` : '');
  }), told.length > MOST_TOLD && el('div', { class: 'quiet' }, `and ${told.length - MOST_TOLD} more below`));
}

// The plot as a file: what is hidden is not in it.
function fileOf(spec, shown, groups, height) {
  const chart = echarts.init(null, null, { renderer: 'svg', ssr: true, width: FILE_WIDTH, height });
  chart.setOption({ ...optionOf(shown, FILE_WIDTH, FONT), aria: { enabled: false } }, true);
  const picture = chart.renderToSVGString();
  chart.dispose();
  const entries = groups.flatMap((g) => [...(g.name ? [{ text: `${g.name}:`, first: true }] : []), ...g.items.filter((i) => [...i.lines].some((n) => shown.numbers.has(n))).map((i) => ({ sample: sample(i.look), text: i.text }))]);
  if (spec.diagonal) entries.push({ sample: diagonalSample(), text: DIAGONAL, first: groups.some((g) => g.name) });
  if (anyPast(shown)) entries.push({ sample: sample(PAST_KEY), text: pastText(shown) });
  return composed(spec.title || spec.label, entries, FILE_WIDTH, picture, height);
}

// A plot with its legend that redraws itself with the theme and its width. Returns { node, save, update(spec) };
// save: the buttons, which may be put elsewhere. When the page is drawn again, the plot stays and changes in place.
export function plot(spec, height = 320) {
  return kept(`plot ${spec.key ?? spec.title ?? spec.label}`, () => makePlot(spec, height), (p) => p.again(spec));
}

function makePlot(spec, height) {
  const canvas = el('div', { class: 'plot', role: 'img' });
  const keys = el('div', { class: 'keys' });
  const title = el('h4', {});
  const stateKey = () => `hide.${spec.key}`;
  const hidden = new Set(spec.key ? state.list(stateKey()).map(Number).filter((i) => Number.isInteger(i) && i >= 0) : []);
  const shownSpec = () => {
    const lines = spec.lines.map((line, i) => ({ ...line, colour: line.colour ?? i, symbol: line.symbol ?? i, number: i })).filter((l) => !hidden.has(l.number));
    return { ...spec, lines, numbers: new Set(lines.map((l) => l.number)) };
  };
  const save = saves(() => slug(spec.label), () => fileOf(spec, shownSpec(), legendGroups(spec), height));
  const node = el('div', {}, el('div', { class: 'plot-head' }, title, save), keys, canvas);
  canvas.style.height = `${height}px`;
  let chart = null;

  function toggle(lines) {
    const off = [...lines].every((i) => hidden.has(i));
    for (const i of lines) if (off) hidden.delete(i); else hidden.add(i);
    if (spec.key) state.set(stateKey(), [...hidden].filter((i) => i < spec.lines.length).sort((a, b) => a - b).join(' '));
    draw();
  }
  // The legend is part of the page rather than of the plot: it wraps, prints, and can be reached by keyboard.
  function legendItem(group, item, n) {
    const off = [...item.lines].every((i) => hidden.has(i));
    return el('button', { type: 'button', class: off ? 'key off' : 'key', 'aria-pressed': String(!off), title: item.whole && item.whole !== item.text ? item.whole : undefined, 'data-item': `${group.name}/${n}`,
      onclick: () => { toggle(item.lines); [...keys.querySelectorAll('button')].find((b) => b.dataset.item === `${group.name}/${n}`)?.focus(); } }, small(sample(item.look)), item.text);
  }
  function drawKeys() {
    const groups = legendGroups(spec), many = groups.reduce((n, g) => n + g.items.length, 0) > 24;
    keys.classList.toggle('many', many);
    if (many) keys.tabIndex = 0; else keys.removeAttribute('tabindex');
    keys.replaceChildren(...groups.flatMap((g) => [g.name && el('span', { class: 'key axis' }, `${g.name}:`), ...g.items.map((item, n) => legendItem(g, item, n)), g.name && el('span', { class: 'break' })]).filter(Boolean),
      ...(spec.diagonal ? [el('span', { class: 'key' }, small(diagonalSample()), DIAGONAL)] : []),
      ...(anyPast(spec) ? [el('span', { class: 'key past-key' }, small(sample(PAST_KEY)), pastText(spec))] : []));
  }
  const draw = () => {
    canvas.setAttribute('aria-label', spec.label);
    save.name(spec.label);
    title.textContent = spec.title ?? '';
    title.hidden = !spec.title;
    drawKeys();
    if (!canvas.clientWidth) return;
    if (!chart) chart = echarts.init(canvas, null, { renderer: 'svg' });
    else chart.resize();
    chart.setOption(optionOf(shownSpec(), canvas.clientWidth, 'inherit'), true);
  };
  // Not inside the observer's own turn: drawing changes sizes, which the browser would report as a loop.
  let width = 0;
  new ResizeObserver(() => requestAnimationFrame(() => { if (canvas.clientWidth !== width) { width = canvas.clientWidth; draw(); } })).observe(canvas);
  onTheme(draw);
  const update = (next) => { spec = next; draw(); };
  return { node, save, update, again(next) { update(next); onTheme(draw); }, end() { chart?.dispose(); } };
}
