// SPDX-License-Identifier: Apache-2.0
// Line plots with confidence intervals.
import * as echarts from 'echarts/core';
import { LineChart, CustomChart } from 'echarts/charts';
import { GridComponent, TooltipComponent, LegendComponent, AriaComponent } from 'echarts/components';
import { SVGRenderer } from 'echarts/renderers';
import { css, onTheme, seriesColour } from './theme.js';
import { el } from './dom.js';

echarts.use([LineChart, CustomChart, GridComponent, TooltipComponent, LegendComponent, AriaComponent, SVGRenderer]);

const symbols = ['circle', 'rect', 'triangle', 'diamond', 'emptyCircle', 'emptyRect', 'emptyTriangle', 'emptyDiamond'];

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

// spec: { label, x: {name, format}, y: {name, format, log, min, max}, lines: [{ name, colour, symbol, dash, points: [{x, y, ci, note}] }],
//         diagonal }
function optionOf(spec) {
  const text = css('--text'), soft = css('--soft'), rule = css('--rule');
  const axis = (a) => ({
    type: a.log ? 'log' : 'value', name: a.name, nameLocation: 'middle', nameTextStyle: { color: soft, fontSize: 12 },
    axisLabel: { color: soft, formatter: a.format, hideOverlap: true }, axisLine: { show: true, lineStyle: { color: rule } },
    splitLine: { lineStyle: { color: rule, opacity: 0.6 } }, min: a.min, max: a.max, minorSplitLine: { show: false },
  });
  const lines = spec.lines.map((line, i) => ({
    type: 'line', name: line.name, data: line.points.map((p) => [p.x, p.y]), symbol: symbols[(line.symbol ?? i) % symbols.length],
    symbolSize: 7, showAllSymbol: true, lineStyle: { width: 2, type: line.dash ?? 'solid' }, color: seriesColour(line.colour ?? i),
    emphasis: { focus: 'series' }, z: 2,
  }));
  const bars = spec.lines.map((line, i) => errorBars(line, seriesColour(line.colour ?? i))).filter((s) => s.data.length);
  const ideal = spec.diagonal && {
    type: 'line', name: 'all that is offered', data: [[0, 0], [spec.diagonal, spec.diagonal]], symbol: 'none', silent: true,
    lineStyle: { type: 'dotted', width: 1.5, color: soft }, color: soft, tooltip: { show: false }, z: 0,
  };
  return {
    animation: false, aria: { enabled: true, label: { description: spec.label } }, textStyle: { fontFamily: 'inherit' },
    grid: { left: 62, right: 18, top: spec.lines.length > 1 ? 44 : 16, bottom: 46 },
    legend: { show: spec.lines.length > 1, type: 'scroll', top: 4, left: 56, right: 10, textStyle: { color: text }, pageTextStyle: { color: soft },
      pageIconColor: soft, data: spec.lines.map((l) => l.name), itemWidth: 26 },
    tooltip: {
      trigger: 'axis', confine: true, backgroundColor: css('--card'), borderColor: rule, textStyle: { color: text, fontSize: 12 },
      formatter: (items) => tooltip(spec, items),
    },
    xAxis: { ...axis(spec.x), nameGap: 28 }, yAxis: { ...axis(spec.y), nameGap: 48 },
    series: [...lines, ...bars, ...(ideal ? [ideal] : [])],
  };
}

function tooltip(spec, items) {
  const lines = items.filter((i) => i.seriesType === 'line' && spec.lines[i.seriesIndex]);
  if (!lines.length) return '';
  return el('div', {}, el('strong', {}, `${spec.x.name}: ${spec.x.format(lines[0].value[0])}`), lines.map((i) => {
    const p = spec.lines[i.seriesIndex].points[i.dataIndex];
    const swatch = el('span', { class: 'swatch' });
    swatch.style.background = i.color;
    return el('div', {}, swatch, `${i.seriesName}: ${spec.y.format(p.y)}`, p.ci > 0 ? ` ± ${spec.y.format(p.ci)}` : '', p.note ? ` (${p.note})` : '');
  }));
}

// A plot that redraws itself with the theme and its width. Returns { node, update(spec) }.
export function plot(spec, height = 320) {
  const node = el('div', { class: 'plot', role: 'img', 'aria-label': spec.label });
  node.style.height = `${height}px`;
  let chart = null;
  const draw = () => {
    if (!chart) chart = echarts.init(node, null, { renderer: 'svg' });
    chart.setOption(optionOf(spec), true);
  };
  new ResizeObserver(() => (chart ? chart.resize() : node.clientWidth && draw())).observe(node);
  onTheme(() => chart && draw());
  return { node, update(next) { spec = next; node.setAttribute('aria-label', spec.label); if (chart) draw(); } };
}
