// SPDX-License-Identifier: Apache-2.0
// Throughput and latency over the load, and how busy the links of each level were.
import { looksOf, shortNamesOf } from './axes.js';
import { card, choose, el, slug } from './dom.js';
import { loadText, ofOneMachine, percent, plural, plusMinus, shortTime, time } from './format.js';
import { plot } from './plots.js';
import { numbers, table } from './tables.js';
import { NUM_COLOURS } from './theme.js';
import { isWorkload } from './workload.js';

const LATENCIES = [['latency_mean_ns', 'mean'], ['latency_p50_ns', 'median'], ['latency_p95_ns', '95th percentile'], ['latency_p99_ns', '99th percentile'], ['latency_max_ns', 'maximum'],
  ['network_latency_mean_ns', 'mean inside the network']];

// Curves of traffic that never ends.
export const endless = (data) => data.curves.filter((c) => !isWorkload(c));

// A point that is not steady, or whose measured time is too short to tell: a longer run may give another value.
const isOpen = (s) => s.steady === 'no' || s.steady === 'too short to tell';
// Since generation: the time in the network lasts past saturation.
const isLatency = (key) => key !== 'network_latency_mean_ns' && LATENCIES.some(([name]) => name === key);
// Latencies also grow with the run past saturation, with one seed at least.
const isPast = (s, key) => isOpen(s) || (isLatency(key) && s.latency_steady !== null && s.latency_steady < 1);
// The one definition of saturation, wherever it is shown.
export const SATURATION = 'Saturation: the load is not accepted in the long run.';
const SATURATION_LOAD = `${SATURATION} It is the lowest simulated load beyond saturation or, if it was searched, the highest load before saturation. Where loads could not be told in the measured time, it is between two loads, or at most one.`;
const PAST = 'latencies that do not last or cannot be told: past saturation queues grow as long as the run lasts, and the latency says how long that was';
const OPEN = 'points that are not steady, or measured for too short a time to tell: a longer run may give another value';
// The verdict on a point in words; '' where nothing was judged.
export const steadyText = (s) => (s.steady ? `${s.steady === 'yes' ? 'steady' : s.steady === 'no' ? 'not steady' : s.steady}: ${s.steady_reason}` : s.steady_reason ?? '');

function curveLines(data, all, curves, key, { x = 'load', positive = false } = {}) {
  const names = shortNamesOf(data, curves);
  return curves.map((c) => ({
    name: names(c), whole: c.label, curve: c, ...all.styleOf(c),
    points: c.steps.filter((s) => !positive || s[key] > 0).map((s) => ({ x: s[x], y: s[key], ci: s[`${key}_ci95`], past: isPast(s, key), open: isOpen(s),
      note: s.deadlock ? 'deadlock' : isOpen(s) ? steadyText(s) : isPast(s, key) ? steadyText(s) || 'past saturation' : x === 'load' ? '' : `at ${loadText(s.load)} load` })),
  }));
}

const place = (data) => [{ key: 'routing', name: 'routing' }, { key: 'fabric', name: 'fabric' }, { key: 'traffic', name: 'traffic', text: (r) => r.short_traffic, whole: (r) => r.traffic },
  { key: 'variant', name: 'settings', csv: ![...data.settings.values()].some(Boolean), text: (r) => data.settings.get(r.variant) ?? r.variant, whole: (r) => r.variant }];
const placed = (data, c) => ({ curve: data.nameOf(c), routing: c.plan_label ?? data.plans[c.plan].label, fabric: c.fabric_label ?? data.fabrics[c.fabric].label, traffic: c.traffic, short_traffic: data.shortTraffic(c.traffic), variant: c.variant });

function curveRows(data, curves, keys) {
  const differs = (of) => new Set(curves.map((c) => placed(data, c)[of])).size > 1;
  const columns = [...place(data).map((c) => ({ ...c, csv: c.csv || (c.key !== 'routing' && !differs(c.key)) })), { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) }, { key: 'seeds', name: 'seeds', number: true },
    ...keys.flatMap(([key, name, show]) => [{ key, name, number: true, text: (r) => plusMinus(r[key], r[`${key}_ci95`], show) + (isPast(r, key) ? '*' : '') }]),
    { key: 'steady', name: 'steady', text: (r) => r.steady ?? 'not judged', whole: steadyText }, { key: 'steady_reason', csv: true }];
  const csvOnly = keys.map(([key]) => ({ key: `${key}_ci95`, csv: true }));
  return { columns: [...columns, ...csvOnly], rows: curves.flatMap((c) => c.steps.map((s) => ({ ...s, ...placed(data, c) }))) };
}

function throughputPlot(data, looks, traffic, curves) {
  const top = Math.max(...curves.flatMap((c) => c.steps.map((s) => s.load)));
  const p = plot({
    label: `Throughput over load under ${traffic}`, key: `throughput-${slug(traffic)}`, diagonal: top, keys: looks.keys,
    x: { name: 'offered load', format: loadText, min: 0 }, y: { name: 'accepted throughput', format: loadText, min: 0 },
    lines: curveLines(data, looks, curves, 'throughput'),
  });
  return card(el('h3', { title: traffic }, `Throughput: ${data.shortTraffic(traffic)}`), p.node,
    numbers(`throughput-${slug(traffic)}`, () => curveRows(data, curves, [['offered', 'offered', percent], ['throughput', 'accepted', percent], ['fairness', 'fairness', (x) => x.toFixed(4)], ['host_throughput_min', 'host with least', percent], ['host_throughput_max', 'host with most', percent]]), null, p.save));
}

function latencyPlot(data, looks, traffic, curves) {
  const key = `latency-${slug(traffic)}`, again = () => p.update(spec());
  const metric = choose('show', `show.${key}`, LATENCIES, LATENCIES[0][0], again);
  const over = choose('over', `x.${key}`, [['load', 'offered load'], ['throughput', 'accepted throughput']], 'load', again);
  const scale = choose('scale', `y.${key}`, [['log', 'logarithmic'], ['linear', 'linear']], 'log', again);
  const spec = () => {
    const [, words] = LATENCIES.find(([k]) => k === metric.value), log = scale.value === 'log';
    return {
      label: `Latency (${words}) over ${over.value === 'load' ? 'load' : 'accepted throughput'} under ${traffic}`, key, keys: looks.keys,
      x: { name: over.value === 'load' ? 'offered load' : 'accepted throughput', format: loadText, min: 0 }, y: { name: `latency, ${words}`, format: shortTime, log, min: log ? undefined : 0 },
      lines: curveLines(data, looks, curves, metric.value, { x: over.value, positive: true }),
    };
  };
  const p = plot(spec());
  return card(el('h3', { title: traffic }, `Latency: ${data.shortTraffic(traffic)}`), el('div', { class: 'controls' }, metric.node, over.node, scale.node), p.node,
    numbers(key, () => curveRows(data, curves, LATENCIES.map(([k, name]) => [k, name, time])), null, p.save));
}

export function performance(data) {
  const all = endless(data);
  if (!all.length) return '';
  const traffics = [...new Set(all.map((c) => c.traffic))], looks = looksOf(data, all, 'traffic');
  const charts = traffics.map((t) => {
    const curves = all.filter((c) => c.traffic === t);
    return el('div', { class: 'grid2' }, throughputPlot(data, looks, t, curves), latencyPlot(data, looks, t, curves));
  });
  const columns = [...place(data),
    { key: 'saturation_load', name: 'saturation', title: SATURATION_LOAD, number: true, text: (r) => r.saturation },
    { key: 'peak_throughput', name: 'peak throughput', title: 'The highest accepted throughput at any load, of steady points alone.', number: true, text: (r) => (r.peak_throughput === null ? 'no steady point' : percent(r.peak_throughput)) },
    { key: 'low', name: 'mean latency at lowest load', number: true, text: (r) => time(r.low) + (isPast(r.steps[0], 'latency_mean_ns') ? '*' : '') },
    { key: 'high', name: 'at highest load', number: true, text: (r) => time(r.high) + (isPast(r.steps.at(-1), 'latency_mean_ns') ? '*' : '') }];
  const rows = all.map((c) => ({ ...c, ...placed(data, c), low: c.steps[0].latency_mean_ns, high: c.steps.at(-1).latency_mean_ns }));
  return el('section', { id: 'performance' }, el('h2', {}, 'Throughput and latency'),
    el('p', { class: 'quiet' }, 'Loads and throughputs are fractions of the hosts’ injection rate. Bars: 95 % confidence intervals over the seeds. ', el('dfn', { title: SATURATION_LOAD }, 'Saturation'),
      ' is reached where the load is not accepted in the long run: in the table, the lowest such load (or between which loads it is, where some could not be told in the measured time); the peak throughput is the highest accepted throughput at any load, of steady points alone: a run ten times as long would find the same.',
      all.some((c) => c.steps.some((s) => s.throughput > 1 || s.host_throughput_max > 1)) && ' A packet counts as accepted, as a whole, when all of it has arrived: in a short measured time a host may seem to accept a little more than 100 %.',
      data.points.some((p) => p.probes) && ' If it was searched, the table has the highest load that was found to be accepted.',
      all.some((c) => c.steps.some((s) => isPast(s, 'latency_mean_ns'))) && ` Hollow marks, and stars in tables: ${PAST}${all.some((c) => c.steps.some(isOpen)) ? `; or ${OPEN}` : ''}.`),
    card(el('h3', {}, 'Saturation and peak throughput'), table('saturation', columns, rows)), charts);
}

// ---- link utilisation per level

// The mean of a level is solid (or long dashes, with more levels than colours), its busiest channel dotted or in short dashes.
const tierStyle = (i, busiest) => ({ colour: i % NUM_COLOURS, symbol: (i % 4) + (busiest ? 4 : 0), dash: (busiest ? 2 : 0) + (i >= NUM_COLOURS ? (busiest ? -1 : 4) : 0) });

export function utilisation(data) {
  const all = endless(data);
  if (!all.length) return '';
  const pick = choose('curve', 'levels.curve', all.map((c) => [data.curves.indexOf(c), data.nameOf(c), c.label]), data.curves.indexOf(all[0]), () => { p.update(spec()); box.refresh(); });
  const curve = () => data.curves[pick.value];
  const lines = () => data.fabrics[curve().fabric].tiers.flatMap((t, i) => [
    { name: `${t.name}, mean`, ...tierStyle(i, false), points: curve().steps.map((s) => ({ x: s.load, y: s.tiers[i].mean, note: plural(t.channels, 'channel') })) },
    { name: `${t.name}, busiest`, ...tierStyle(i, true), points: curve().steps.map((s) => ({ x: s.load, y: s.tiers[i].max })) },
  ]);
  const spec = () => ({ label: `Link utilisation per level, ${curve().label}`, key: 'levels', x: { name: 'offered load', format: loadText, min: 0 }, y: { name: 'utilisation', format: loadText, min: 0, max: 1 }, lines: lines() });
  const p = plot(spec(), 380);
  const box = numbers('link-utilisation', () => ({
    columns: [{ key: 'curve', name: 'curve', text: () => data.nameOf(curve()), whole: (r) => r.curve }, { key: 'tier', name: 'links' }, { key: 'channels', name: 'channels', number: true }, { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) },
      { key: 'mean', name: 'mean', number: true, text: (r) => percent(r.mean) }, { key: 'max', name: 'busiest', number: true, text: (r) => percent(r.max) }],
    rows: curve().steps.flatMap((s) => data.fabrics[curve().fabric].tiers.map((t, i) => ({ curve: curve().label, tier: t.name, channels: t.channels, load: s.load, ...s.tiers[i] }))),
  }), null, p.save);
  return el('section', { id: 'utilisation' }, el('h2', {}, 'Link utilisation per level'), ofOneMachine(data) && el('p', { class: 'quiet' }, ofOneMachine(data)), card(el('div', { class: 'controls' }, pick.node), p.node, box));
}
