// SPDX-License-Identifier: Apache-2.0
// What happened over time: throughput and latency, and how full the buffers of every switch were.
import { choose, el } from './dom.js';
import { atLoad, count, loadText, moment, percent, shortTime, time } from './format.js';
import { shortNames } from './names.js';
import { plot } from './plots.js';
import * as state from './state.js';
import { numbers } from './tables.js';
import { timeMap } from './timemap.js';

const MOST_ROWS = 48;

// Rows are switches, the fullest ones if there are many. series: { period_ps, filled: [period][switch] } of any share.
function heatMap() {
  const map = timeMap('How full the buffers of each switch were over time', (rows) => Math.min(22, 420 / Math.max(1, rows)));
  const show = (series, drawing, what) => {
    const names = shortNames(drawing).slice(0, drawing.switches);
    const peak = names.map((_, s) => series.filled.reduce((m, column) => Math.max(m, column[s]), 0));
    let rows = names.map((_, s) => s);
    if (rows.length > MOST_ROWS) rows = rows.sort((a, b) => peak[b] - peak[a]).slice(0, MOST_ROWS);
    map.show({
      rows: rows.map((s) => names[s]), full: rows.map((s) => drawing.names[s]), periods: series.filled.length, period_ps: series.period_ps, high: `100 % of a switch’s buffers ${what}`,
      shade: (row, t) => series.filled[t][rows[row]],
      tell: (row, t) => `${names[rows[row]]} at ${moment(((t + 1) * series.period_ps) / 1000)}: buffers ${percent(series.filled[t][rows[row]])} ${what}`,
      note: names.length > MOST_ROWS ? `The ${MOST_ROWS} of ${count(names.length)} switches with the highest values.` : '',
    });
  };
  return { node: map.node, show };
}

// What the map of switches may show.
const SHOWS = [['filled', 'buffers filled', 'filled'], ['blocked', 'buffers blocked: they lack credit', 'blocked'], ['hol', 'bytes held up by the head of their queue', 'held up by a head']];

export function overTime(data) {
  const usable = data.curves.map((c, i) => [i, c]).filter(([, c]) => c.steps.some((s) => s.series));
  if (!usable.length) return null;
  const pick = choose('routing and traffic', 'time.curve', usable.map(([i, c]) => [i, data.nameOf(c), c.label]), usable[0][0], () => show());
  const shows = choose('map of switches', 'time.switches', SHOWS.map(([key, name]) => [key, name]), SHOWS[0][0], () => show());
  const curve = () => data.curves[pick.value], last = curve().steps.length - 1;
  let step = Math.floor(state.number('time.load', 0, last, last));
  const series = () => curve().steps[step].series;
  const sampled = () => (curve().steps[step].congestion_series?.blocked.length > 0 ? curve().steps[step].congestion_series : null);
  const shares = () => (shows.value === 'filled' || !sampled() ? series().filled : sampled()[shows.value]);
  const at = (t) => ((t + 1) * series().period_ps) / 1000;
  const x = { name: 'time', format: shortTime, min: 0 };
  // Where the measured time begins, as high as the curve.
  const warmup = (values) => (series().warmup_ns > 0 ? [{ name: 'end of warm-up', colour: 2, symbol: 2, dash: 1, points: [0, Math.max(...values)].map((y) => ({ x: series().warmup_ns, y })) }] : []);
  const throughput = () => ({ title: 'Throughput over time', label: `Throughput over time, ${curve().label}`, x, y: { name: 'accepted throughput', format: (v) => `${+(100 * v).toFixed(1)} %`, min: 0 },
    lines: [{ name: 'accepted', points: series().throughput.map((y, t) => ({ x: at(t), y })) }, ...warmup(series().throughput)] });
  const latency = () => ({ title: 'Latency over time', label: `Latency over time, ${curve().label}`, x, y: { name: 'mean latency', format: shortTime, min: 0 },
    lines: [{ name: 'mean', colour: 1, symbol: 1, points: series().latency_mean_ns.map((y, t) => ({ x: at(t), y })) }, ...warmup(series().latency_mean_ns)] });
  const plots = [plot(throughput(), 240), plot(latency(), 240)];
  const heat = heatMap();
  const label = el('output', {});
  // Columns of a run with in-order delivery.
  const requests = () => (series().outstanding ? [{ key: 'outstanding', name: 'requests without reply, per host', number: true, text: (r) => r.outstanding.toFixed(2) }] : []);
  const reordered = () => (series().reorder_bytes ? [{ key: 'reorder_bytes', name: 'B waiting in a reorder buffer', number: true, text: (r) => count(Math.round(r.reorder_bytes)) },
    { key: 'out_of_order', name: 'packets out of order', number: true, text: (r) => count(r.out_of_order) }, { key: 'throttled', name: 'adapters throttled', number: true, text: (r) => percent(r.throttled) }] : []);
  const lines = numbers('over-time', () => ({
    columns: [{ key: 'time_ns', name: 'time', number: true, text: (r) => moment(r.time_ns) }, { key: 'throughput', name: 'accepted', number: true, text: (r) => percent(r.throughput) },
      { key: 'latency_mean_ns', name: 'mean latency', number: true, text: (r) => time(r.latency_mean_ns) }, ...reordered(), ...requests(), { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) }, { key: 'curve', csv: true }],
    rows: series().throughput.map((y, t) => ({ time_ns: at(t), throughput: y, latency_mean_ns: series().latency_mean_ns[t], reorder_bytes: series().reorder_bytes?.[t], out_of_order: series().out_of_order?.[t], throttled: series().throttled?.[t], outstanding: series().outstanding?.[t], load: curve().steps[step].load, curve: curve().label })),
  }));
  const cells = numbers('buffers-over-time', () => ({
    columns: [{ key: 'time_ns', name: 'time', number: true, text: (r) => moment(r.time_ns) }, { key: 'switch', name: 'switch' }, { key: 'filled', name: 'buffers full', number: true, text: (r) => percent(r.filled) },
      ...(sampled() ? [{ key: 'blocked', name: 'buffers blocked', number: true, text: (r) => percent(r.blocked) }, { key: 'hol', name: 'held up by a head', number: true, text: (r) => percent(r.hol) }] : [])],
    rows: series().filled.flatMap((column, t) => column.map((v, s) => ({ time_ns: at(t), switch: data.fabrics[curve().fabric].drawing.names[s], filled: v, blocked: sampled()?.blocked[t][s], hol: sampled()?.hol[t][s] }))),
  }));
  const slider = el('input', { type: 'range', min: 0, step: 1, 'aria-label': 'load', oninput: (e) => { step = +e.target.value; state.set('time.load', step, last); show(); } });
  function show() {
    slider.max = curve().steps.length - 1;
    slider.hidden = curve().steps.length < 2;
    step = Math.min(step, curve().steps.length - 1);
    slider.value = step;
    label.textContent = atLoad(curve().steps[step].load);
    plots[0].update(throughput());
    plots[1].update(latency());
    heat.node.hidden = cells.hidden = !series().filled.length;
    shows.node.hidden = heat.node.hidden || !sampled();
    if (series().filled.length) heat.show({ period_ps: series().period_ps, filled: shares() }, data.fabrics[curve().fabric].drawing, SHOWS.find(([key]) => key === shows.value)[2]);
    lines.refresh();
    cells.refresh();
  }
  show();
  return el('section', { id: 'time' }, el('h2', {}, 'Over time'),
    el('p', { class: 'quiet' }, 'From an empty network on, warm-up included; the first seed of each point. Below: how full the buffers of each switch were at the end of each period, how many of them were blocked, and how much a blocked head held up: congestion as it grows and spreads.'),
    el('div', { class: 'card' }, el('div', { class: 'controls' }, pick.node, el('label', { class: 'control' }, el('span', {}, 'load'), slider, label)),
      el('div', { class: 'grid2' }, plots.map((p) => p.node)), lines, el('div', { class: 'controls' }, shows.node), heat.node, cells));
}
