// SPDX-License-Identifier: Apache-2.0
// Line plots with confidence intervals.
import * as echarts from 'echarts/core';
import { LineChart, CustomChart } from 'echarts/charts';
import { GridComponent, TooltipComponent, AriaComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
import { css, DASHES, onTheme, seriesColour } from './theme.js';
import { el } from './dom.js';
import { svg } from './svg.js';

echarts.use([LineChart, CustomChart, GridComponent, TooltipComponent, AriaComponent, SVGRenderer]);

const symbols = ['circle', 'rect', 'triangle', 'diamond']; // filled, then hollow
const marks = [
  (c, f) => svg('circle', { cx: 15, cy: 7, r: 3.5, fill: f, stroke: c }), (c, f) => svg('rect', { x: 11.5, y: 3.5, width: 7, height: 7, fill: f, stroke: c }),
  (c, f) => svg('path', { d: 'M15 3l4.5 8h-9z', fill: f, stroke: c }), (c, f) => svg('path', { d: 'M15 2.5l4.5 4.5-4.5 4.5-4.5-4.5z', fill: f, stroke: c }),
];
const MOST_MARKS = 60; // points of a line that are marked one by one
const hollow = (symbol) => symbol % 8 >= 4;
const dashOf = (line) => DASHES[(line.dash ?? 0) % DASHES.length];

// The legend is part of the page rather than of the plot: it wraps, prints, and can be reached by keyboard.
function legendItem(line, i, hidden, toggle) {
  const colour = seriesColour(line.colour ?? i), symbol = line.symbol ?? i;
  const key = svg('svg', { width: 30, height: 14, 'aria-hidden': 'true' },
    svg('line', { x1: 0, x2: 30, y1: 7, y2: 7, stroke: colour, 'stroke-width': 2, 'stroke-dasharray': dashOf(line).join(' ') }),
    marks[symbol % 4](colour, hollow(symbol) ? css('--card') : colour));
  return el('button', { type: 'button', class: hidden ? 'key off' : 'key', 'aria-pressed': String(!hidden), onclick: toggle }, key, line.name);
}

const diagonalKey = () => el('span', { class: 'key' }, svg('svg', { width: 30, height: 14, 'aria-hidden': 'true' },
  svg('line', { x1: 0, x2: 30, y1: 7, y2: 7, stroke: css('--soft'), 'stroke-width': 1.5, 'stroke-dasharray': '1.5 2' })), 'all that is offered');

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

// spec: { title, label, x: {name, format}, y: {name, format, log, min, max, whole}, lines: [{ name, colour, symbol, dash, points: [{x, y, ci, note}] }],
//         diagonal }
function optionOf(spec, width) {
  const text = css('--text'), soft = css('--soft'), rule = css('--rule');
  const axis = (a) => ({
    type: a.log ? 'log' : 'value', name: a.name, nameLocation: 'middle', nameTextStyle: { color: soft, fontSize: 12 },
    axisLabel: { color: soft, formatter: a.format, hideOverlap: true, margin: a.gap ?? 8 }, axisLine: { show: true, lineStyle: { color: rule } },
    splitLine: { lineStyle: { color: rule, opacity: 0.6 } }, min: a.min, max: a.max, minorSplitLine: { show: false },
    minInterval: a.whole ? 1 : undefined, splitNumber: a.steps,
  });
  const lines = spec.lines.map((line) => ({
    type: 'line', name: line.name, data: line.points.map((p) => (p.past ? { value: [p.x, p.y], symbolSize: 5, itemStyle: { color: css('--card') } } : [p.x, p.y])), symbol: symbols[line.symbol % symbols.length],
    itemStyle: { color: hollow(line.symbol) ? css('--card') : seriesColour(line.colour), borderColor: seriesColour(line.colour), borderWidth: 1.5 },
    symbolSize: 7, showSymbol: line.points.length <= MOST_MARKS, showAllSymbol: true,
    lineStyle: { width: 2, color: seriesColour(line.colour), type: dashOf(line).length ? dashOf(line) : 'solid' }, color: seriesColour(line.colour),
    emphasis: { focus: 'series' }, z: 2,
  }));
  const bars = spec.lines.map((line) => errorBars(line, seriesColour(line.colour))).filter((s) => s.data.length);
  const ideal = spec.diagonal && {
    type: 'line', name: 'all that is offered', data: [[0, 0], [spec.diagonal, spec.diagonal]], symbol: 'none', silent: true,
    lineStyle: { type: [1.5, 2], width: 1.5, color: soft }, color: soft, tooltip: { show: false }, z: 0,
  };
  return {
    animation: false, aria: { enabled: true, label: { description: spec.label } }, textStyle: { fontFamily: 'inherit' },
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
  return el('div', {}, el('strong', {}, `${spec.x.name}: ${spec.x.format(lines[0].value[0])}`), lines.map((i) => {
    const p = spec.lines[i.seriesIndex].points[i.dataIndex];
    const swatch = el('span', { class: 'swatch' });
    swatch.style.background = seriesColour(spec.lines[i.seriesIndex].colour);
    return el('div', {}, swatch, `${i.seriesName}: ${spec.y.format(p.y)}`, p.ci > 0 ? ` ± ${spec.y.format(p.ci)}` : '', p.note ? ` (${p.note})` : '');
  }));
}

// A plot with its legend that redraws itself with the theme and its width. Returns { node, update(spec) }.
export function plot(spec, height = 320) {
  const canvas = el('div', { class: 'plot', role: 'img' });
  const keys = el('div', { class: 'keys' });
  const title = el('h4', {});
  const node = el('div', {}, title, keys, canvas);
  canvas.style.height = `${height}px`;
  const hidden = new Set();
  let chart = null;
  const draw = () => {
    canvas.setAttribute('aria-label', spec.label);
    title.textContent = spec.title ?? '';
    title.hidden = !spec.title;
    keys.replaceChildren(...(spec.lines.length > 1 || spec.diagonal ? spec.lines.map((line, i) => legendItem(line, i, hidden.has(line.name), () => {
      if (!hidden.delete(line.name)) hidden.add(line.name);
      draw();
    })) : []), spec.diagonal ? diagonalKey() : '');
    if (!canvas.clientWidth) return;
    if (!chart) chart = echarts.init(canvas, null, { renderer: 'svg' });
    else chart.resize();
    const lines = spec.lines.map((line, i) => ({ ...line, colour: line.colour ?? i, symbol: line.symbol ?? i })).filter((l) => !hidden.has(l.name));
    chart.setOption(optionOf({ ...spec, lines }, canvas.clientWidth), true);
  };
  // Not inside the observer's own turn: drawing changes sizes, which the browser would report as a loop.
  let width = 0;
  new ResizeObserver(() => requestAnimationFrame(() => { if (canvas.clientWidth !== width) { width = canvas.clientWidth; draw(); } })).observe(canvas);
  onTheme(draw);
  return { node, update(next) { spec = next; draw(); } };
}
