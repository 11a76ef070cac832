// SPDX-License-Identifier: Apache-2.0
// What in-order delivery costs: throughput, and the time that packets wait for earlier ones, beside the same without.
import { barKeys, bars } from './bars.js';
import { choose, el } from './dom.js';
import { atLoad, count, loadText, percent, shortTime, time } from './format.js';
import * as state from './state.js';
import { numbers } from './tables.js';
import { seriesColour } from './theme.js';

const ROWS = 40;
const ordered = (s) => s.arrival_latency_mean_ns !== null;
export const hasOrder = (data) => data.curves.some((c) => c.steps.some(ordered));

export function orderView(data) {
  if (!hasOrder(data)) return null;
  const { nameOf } = data;
  const loads = [...new Set(data.curves.flatMap((c) => c.steps.map((s) => s.load)))].sort((a, b) => a - b);
  let load = loads.find((l) => String(l) === state.get('order.load')) ?? loads.at(-1);
  const at = () => data.curves.map((c) => [c, c.steps.find((s) => s.load === load)]).filter(([, s]) => s).slice(0, ROWS);
  const accepted = () => ({ label: 'Accepted throughput', axis: 'accepted throughput', format: loadText, max: Math.max(...at().map(([, s]) => s.throughput)),
    rows: at().map(([c, s]) => ({ name: nameOf(c), value: el('strong', {}, percent(s.throughput)), at: s.throughput, ci: s.throughput_ci95,
      parts: [{ from: 0, to: s.throughput, colour: () => seriesColour(ordered(s) ? 0 : 3), title: `${nameOf(c)}: ${percent(s.throughput)}` }] })) });
  const waited = () => ({ label: 'Mean latency', axis: 'mean latency', format: shortTime, max: Math.max(...at().map(([, s]) => s.latency_mean_ns)),
    rows: at().map(([c, s]) => {
      const arrival = ordered(s) ? Math.min(s.arrival_latency_mean_ns, s.latency_mean_ns) : s.latency_mean_ns;
      return { name: nameOf(c), value: el('strong', {}, time(s.latency_mean_ns)), at: s.latency_mean_ns, ci: s.latency_mean_ns_ci95,
        parts: [{ from: 0, to: arrival, colour: () => seriesColour(0), title: `until the packet is there: ${time(arrival)}` },
          { from: arrival, to: s.latency_mean_ns, colour: () => seriesColour(1), title: `waiting for an earlier packet: ${time(s.latency_mean_ns - arrival)}` }] };
    }) });
  const keys = [[['delivered in order', () => seriesColour(0)], ['in-order delivery not required', () => seriesColour(3)]], [['until the packet is there', () => seriesColour(0)], ['waiting for an earlier packet', () => seriesColour(1)]]];
  const charts = [bars(accepted(), keys[0]), bars(waited(), keys[1])];
  const pick = choose('load', 'order.load', loads.map((l) => [String(l), atLoad(l)]), String(loads.at(-1)), (v) => { load = loads.find((l) => String(l) === v); charts[0].update(accepted()); charts[1].update(waited()); });
  const dash = (show) => (x) => (x === null ? '–' : show(x));
  const box = numbers('in-order', () => ({
    columns: [{ key: 'curve', name: 'curve', text: (r) => r.short, whole: (r) => r.curve }, { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) }, { key: 'throughput', name: 'accepted', number: true, text: (r) => percent(r.throughput) },
      { key: 'latency_mean_ns', name: 'mean latency', number: true, text: (r) => time(r.latency_mean_ns) }, { key: 'arrival_latency_mean_ns', name: 'until arrival', number: true, text: (r) => time(r.arrival_latency_mean_ns) },
      { key: 'packets_out_of_order', name: 'packets out of order', number: true, text: (r) => dash(count)(r.packets_out_of_order) },
      { key: 'reorder_mean_bytes', name: 'B waiting per host, mean', number: true, text: (r) => dash((x) => count(Math.round(x)))(r.reorder_mean_bytes) }, { key: 'reorder_max_bytes', name: 'B, most', number: true, text: (r) => dash(count)(r.reorder_max_bytes) },
      { key: 'throttled_mean', name: 'adapters throttled', number: true, text: (r) => dash((x) => percent(x))(r.throttled_mean) }],
    rows: data.curves.flatMap((c) => c.steps.map((s) => ({ ...s, curve: c.label, short: nameOf(c) }))),
  }));
  return el('section', { id: 'order' }, el('h2', {}, 'In-order delivery'),
    el('p', { class: 'quiet' }, 'What order costs: reorder buffers hold packets that come before an earlier one of their flow, and sources send only what a buffer can hold. Latency ends when a packet is delivered in order. Means over the seeds.'),
    el('div', { class: 'card' }, el('div', { class: 'controls' }, pick.node),
      el('h3', {}, 'Accepted throughput'), barKeys(keys[0]), charts[0].node,
      el('h3', {}, 'Mean latency'), barKeys(keys[1]), charts[1].node, box));
}
