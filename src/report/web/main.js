// SPDX-License-Identifier: Apache-2.0
// The report: reads the data that stands in the page and shows it. Nothing is loaded.
import { congestionView, rootsAt } from './congestion.js';
import { el, numbers, numbersOnlyCsv, select, table } from './dom.js';
import { fabricPicture } from './fabric.js';
import { claimsView, figuresView, hasClaims, hasFigures } from './figures.js';
import { atLoad, count, loadText, moment as momentText, percent, plural, plusMinus, rate, shortTime, time, verdict } from './format.js';
import { legend } from './legend.js';
import { shortNames, shortSettings } from './names.js';
import { hasOrder, orderView } from './order.js';
import { overTime } from './overtime.js';
import { plot } from './plots.js';
import { lineStyle, NUM_COLOURS, startTheme, toggleTheme } from './theme.js';
import { hasWatch, watchView } from './watch.js';
import { isWorkload, workloads } from './workload.js';

async function embedded(id) {
  const node = document.getElementById(id);
  if (node.dataset.encoding !== 'deflate') return JSON.parse(node.textContent);
  const bytes = Uint8Array.from(atob(node.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

const section = (id, title, ...children) => el('section', { id }, el('h2', {}, title), ...children);
const card = (...children) => el('div', { class: 'card' }, ...children);
const slug = (text) => text.toLowerCase().replace(/[^a-z0-9]+/g, '-').replace(/^-|-$/g, '');

// A curve's name within its traffic pattern.
function curveName(data, c, traffic = false) {
  const parts = [data.plans[c.plan].label];
  if (traffic) parts.push(c.traffic);
  if (data.settings.get(c.variant)) parts.push(data.settings.get(c.variant));
  if (data.fabrics.length > 1) parts.push(fabricName(data, c.fabric));
  return parts.join(', ');
}
const fabricName = (data, i) => data.fabrics[i].label;
// A curve looks the same in every chart: fabric, routing and settings decide.
const lookKey = (data, c) => `${c.fabric}/${data.plans[c.plan].label}/${c.variant}`;

// ---- header and summary

function header(data) {
  const facts = [`ikat ${data.ikat}`, data.written && `results of ${data.written}`, data.file,
    `${count(data.points_finished)} of ${count(data.points_total)} points`].filter(Boolean);
  return el('header', {},
    el('div', { class: 'top' },
      el('div', {}, el('h1', {}, data.title || data.file || 'Experiment'), el('div', { class: 'meta' }, facts.join('  ·  '))),
      el('button', { type: 'button', onclick: toggleTheme, 'aria-label': 'switch between light and dark' }, 'Light / dark')),
    data.description && el('p', { class: 'description' }, data.description),
    extent(data));
}

// What of the sweep there is, and why the rest is not.
function extent(data) {
  const points = (n) => `${count(n)} point${n === 1 ? '' : 's'}`;
  const missing = data.points_total - data.points_finished - data.points_left_out;
  return [
    missing > 0 && el('p', { class: 'no' }, `This run is not finished: ${points(missing)} ${missing === 1 ? 'is' : 'are'} missing. The same ikat run command continues it.`),
    data.points_left_out > 0 && el('div', { class: 'left-out' }, el('p', { class: 'no' }, `${points(data.points_left_out)} of the sweep could not be run and ${data.points_left_out === 1 ? 'was' : 'were'} left out:`),
      el('ul', {}, data.left_out.map((x) => el('li', {}, `${x.what} (${points(x.points)}): ${x.why}`)))),
  ];
}

// Curves of traffic that never ends.
const endless = (data) => data.curves.filter((c) => !isWorkload(c));

// Of workloads: the quickest, and how many were not completed.
function completions(data) {
  const all = data.curves.filter(isWorkload), done = all.filter((c) => c.steps[0].completion_ns !== null);
  const best = done.reduce((a, c) => (!a || c.steps[0].completion_ns < a.steps[0].completion_ns ? c : a), null);
  return [best && [time(best.steps[0].completion_ns), `${all.length > 1 ? 'shortest completion: ' : 'completion: '}${curveName(data, best, true)}`],
    all.length > done.length && [`${all.length - done.length} of ${all.length}`, 'workloads were not completed']].filter(Boolean);
}

function summary(data) {
  const [f] = data.fabrics;
  const failed = data.plans.filter((p) => p.failed).length;
  const asked = data.plans.filter((p) => p.proof.proof !== 'none').length;
  const partial = data.plans.filter((p) => ['sampled', 'off'].includes(p.proof.proof)).length;
  const best = endless(data).reduce((a, c) => (!a || c.peak_throughput > a.peak_throughput ? c : a), null);
  const warnings = data.fabrics.reduce((n, g) => n + g.findings.filter((x) => x.severity !== 'note').length, 0);
  const locks = data.points.filter((p) => p.deadlock).length;
  const one = (strong, span) => el('div', { class: 'card' }, el('strong', {}, strong), el('span', {}, span));
  return el('section', { id: 'summary', class: 'cards' },
    one(`${plural(f.hosts, 'host')}`, `${f.switches === 1 ? '1 switch' : `${count(f.switches)} switches`}, ${plural(f.switch_links, 'link')} between them${data.fabrics.length > 1 ? `; ${data.fabrics.length} fabrics${data.over ? '' : ' compared'}` : ''}`),
    one(warnings ? `${plural(warnings, 'finding')}` : 'no findings', warnings ? `that need${warnings > 1 ? '' : 's'} attention` : 'the fabric is as it should be'),
    asked > 0 && one(failed ? `${failed} of ${data.plans.length} fail` : partial ? `${data.plans.length - partial} of ${data.plans.length} proved` : `${data.plans.length} proved`,
      failed ? 'routings whose proofs fail' : partial ? 'the others by a sample of pairs, or not at all' : 'every routing delivers, without loops or deadlock'),
    locks > 0 && one(`${plural(locks, 'deadlock')}`, 'points in which packets waited for each other: see Every point'),
    ...completions(data).map(([strong, span]) => one(strong, span)),
    best && one(percent(best.peak_throughput), `highest peak throughput: ${curveName(data, best, true)}`));
}

// ---- findings

function slowCallout(data, f, fi) {
  return f.slow_links.map((s, k) => {
    const costs = data.slow_link_costs.filter((c) => c.fabric === fi && c.slow_link === k);
    const columns = [
      { key: 'curve', name: 'routing and traffic' },
      { key: 'full_load', name: 'full from load', number: true, text: (r) => (r.full_load === null ? 'never' : loadText(r.full_load)) },
      { key: 'utilisation', name: 'utilisation at that load', number: true, text: (r) => percent(r.utilisation, 0) },
      { key: 'siblings_utilisation', name: 'healthy parallel links', number: true, text: (r) => percent(r.siblings_utilisation, 0) },
      { key: 'peak_throughput', name: 'peak throughput', number: true, text: (r) => percent(r.peak_throughput) },
      { key: 'repaired_peak_throughput', name: 'with the link repaired', number: true, text: (r) => percent(r.repaired_peak_throughput) },
      { key: 'loss', name: 'throughput lost', number: true, text: (r) => (r.loss === null ? '–' : percent(Math.max(0, r.loss), 0)), class: (r) => (r.loss > 0.02 ? 'no' : '') },
    ];
    const rows = costs.map((c) => ({ ...c, curve: curveName({ ...data, fabrics: [f] }, data.curves[c.curve], true),
      loss: c.repaired_peak_throughput ? 1 - c.peak_throughput / c.repaired_peak_throughput : null }));
    const worst = rows.reduce((a, r) => ((r.loss ?? 0) > (a?.loss ?? 0.005) ? r : a), null);
    const early = rows.filter((r) => r.full_load !== null).sort((a, b) => a.full_load - b.full_load)[0];
    return el('div', { class: 'callout', 'data-slow-link': s.channel },
      el('h3', {}, `A link runs at ${rate(s.rate_bps)} instead of ${rate(s.common_rate_bps)}`),
      el('p', {}, s.name),
      worst && el('p', {}, el('strong', {}, `It costs up to ${percent(worst.loss, 0)} of the throughput`), ` (${worst.curve}: ${percent(worst.peak_throughput)} accepted, ${percent(worst.repaired_peak_throughput)} with the link repaired).`),
      !worst && early && el('p', {}, el('strong', {}, `It is full from load ${loadText(early.full_load)} on`), ` (${early.curve}), where its healthy parallel links are ${percent(early.siblings_utilisation, 0)} busy.`),
      costs.length ? [table(columns, rows), numbersOnlyCsv('slow-link', columns, rows)] : null);
  });
}

function findings(data) {
  const blocks = data.fabrics.map((f, i) => {
    if (f.sample) return null;
    const rest = f.findings.filter((x) => !(x.code === 'slow-link' && f.slow_links.some((s) => s.channel === x.channel || s.opposite === x.channel)));
    if (!f.findings.length && data.fabrics.length > 1) return null;
    return [data.fabrics.length > 1 && el('h3', {}, fabricName(data, i)), slowCallout(data, f, i),
      (rest.length > 0 || !f.slow_links.length) && card(rest.length ? rest.map((x) => el('div', { class: 'finding' }, el('span', { class: `tag ${x.severity}` }, x.severity), el('div', {}, x.text)))
        : el('p', { class: 'quiet' }, 'Nothing was found: the fabric is as it should be.'))];
  });
  return section('findings', 'Findings', blocks.some(Boolean) ? blocks : card(el('p', { class: 'quiet' }, 'Nothing was found: the fabrics are as they should be.')));
}

// ---- proofs

function proofs(data) {
  const tag = (key) => (r) => verdict(r[key]);
  const mark = (key) => (r) => (r[key] === true ? 'yes' : r[key] === false ? 'no' : undefined);
  const proved = (value, text) => (value === null ? '–' : text(value));
  const shown = data.plans.filter((p) => !p.sample && p.proof.proof !== 'none');
  if (!shown.length) return '';
  const partial = shown.some((p) => p.proof.proof && p.proof.proof !== 'full');
  const rare = (key, name) => shown.some((p) => p.proof[key] > 0) && { key, name, number: true, text: (r) => proved(r[key], count) };
  const columns = [
    { key: 'routing', name: 'routing' }, data.fabrics.length > 1 && { key: 'fabric', name: 'fabric' }, { key: 'vc', name: 'VC scheme' }, { key: 'vcs', name: 'VCs', number: true },
    { key: 'delivered', name: 'delivers every pair', text: tag('delivered'), class: mark('delivered') },
    { key: 'loop_free', name: 'no loop', text: tag('loop_free'), class: mark('loop_free') },
    { key: 'minimal', name: 'minimal', text: tag('minimal') },
    { key: 'deadlock_free', name: 'deadlock-free', text: tag('deadlock_free'), class: mark('deadlock_free') },
    { key: 'flow', name: 'judged for', text: (r) => ({ cut_through: 'whole packets', settled: 'packets keep their output' })[r.flow] ?? 'any flow control' },
    { key: 'deadlock_reason', name: 'because', class: () => 'wrap' },
    partial && { key: 'proof', name: 'proved', text: (r) => (r.proof === 'off' ? 'nothing' : r.proof === 'sampled' ? `${count(r.sampled_pairs)} pairs` : 'every pair') },
    { key: 'pairs', name: 'pairs', number: true, text: (r) => (r.proof === 'off' ? '–' : count(r.pairs)) }, rare('undelivered', 'undelivered'), rare('unconnected', 'unconnected'),
    { key: 'mean_hops', name: 'mean hops', number: true, text: (r) => proved(r.mean_hops, (x) => x.toFixed(3)) },
    { key: 'max_hops', name: 'most hops', number: true, text: (r) => proved(r.max_hops, count) },
    { key: 'dependencies', name: 'dependencies', number: true, text: (r) => proved(r.dependencies, count) },
  ].filter(Boolean);
  const rows = shown.map((p) => ({ ...p, ...p.proof, routing: p.label, fabric: fabricName(data, p.fabric) }));
  const cycles = shown.filter((p) => p.proof.witness?.length).map((p) => el('div', { class: 'callout' }, el('h3', {}, `${p.label}: a cycle that can lock`),
    el('ol', {}, p.proof.witness.map((d) => el('li', {}, `${d.from} → ${d.to} on VC ${d.vc}, held by packets ${d.source} to ${d.destination}`)))));
  return section('proofs', 'Proofs', el('p', { class: 'quiet' }, partial ? 'Not every routing was proved for every pair of hosts: tables say so behind its name.' : `Proved for every pair of hosts${data.curves.length ? ' before the first packet was simulated' : ''}${data.over ? '; of samples the first' : ''}.`),
    card(table(columns, rows), numbersOnlyCsv('proofs', columns, rows)), cycles);
}

// ---- what was measured without simulation

const plainNumber = (x) => (Number.isInteger(x) ? count(x) : x.toFixed(3));
const MEASURES = [['feasible', 'feasible', (x) => percent(x)], ['deadlock_free', 'deadlock-free', (x) => percent(x)], ['mean_hops', 'mean hops', plainNumber], ['max_hops', 'most hops', plainNumber],
  ['entries_mean', 'entries of a switch', plainNumber], ['entries_max', 'largest table', plainNumber], ['least_t_max', 'least t_max', plainNumber], ['contention', 'contention', plainNumber],
  ['static_slowdown', 'predicted slowdown', plainNumber], ['static_saturation', 'predicted saturation', (x) => percent(x)], ['effective_bandwidth', 'effective bandwidth', (x) => percent(x)],
  ['efficiency', 'efficiency', (x) => percent(x)], ['ports_per_host', 'ports per host', plainNumber], ['links_per_host', 'links per host', plainNumber], ['bisection', 'bisection per host', plainNumber]];
const measuresOf = (list) => MEASURES.filter(([key]) => list.some((s) => s[key] !== null && s[key] !== undefined));
const measured = (key, text, ci) => (r) => (r[key] === null || r[key] === undefined ? '–' : text(r[key]) + (ci && r[`${key}_ci95`] ? ` ± ${text(r[`${key}_ci95`])}` : ''));

function measures(data) {
  if (!data.statics) return '';
  const differs = (key) => new Set(data.statics.map((s) => s[key])).size > 1;
  const rows = data.statics.map((s) => ({ ...s, routing: s.plan_label, fabric: s.fabric_label ?? data.fabrics[s.fabric].label }));
  const columns = [{ key: 'routing', name: 'routing' }, { key: 'fabric', name: 'fabric' }, differs('traffic') && { key: 'traffic', name: 'traffic' }, differs('variant') && { key: 'variant', name: 'settings' },
    data.statics.some((s) => s.samples > 1) && { key: 'samples', name: 'samples', number: true, text: (r) => count(r.samples) },
    ...measuresOf(data.statics).map(([key, name, text]) => ({ key, name, number: true, text: measured(key, text, true) }))].filter(Boolean);
  return section('measures', 'Measures', el('p', { class: 'quiet' }, data.over ? `Means over ${data.over.join(', ')}, with half their 95 % confidence intervals; infeasible samples have no values.` : data.curves.length ? 'Measured beside the simulations.' : 'Measured without simulation.'),
    card(table(columns, rows), numbersOnlyCsv('measures', columns, rows)));
}

// ---- curves

const latencies = [['latency_mean_ns', 'mean'], ['latency_p50_ns', 'median'], ['latency_p95_ns', '95th percentile'], ['latency_p99_ns', '99th percentile'], ['latency_max_ns', 'maximum'],
  ['network_latency_mean_ns', 'mean inside the network']];

// Less than 95 % of the load was accepted, with one seed at least: queues grow as long as the run lasts.
const isPast = (s) => s.stationary !== null && s.stationary < 1;
const isLatency = (key) => latencies.some(([name]) => name === key);
const PAST = 'past saturation, less than 95 % of the load is accepted, queues grow as long as the run lasts, and the latency says how long that was';

function curveLines(data, curves, key, positive) {
  const looks = [...new Set(data.curves.map((c) => lookKey(data, c)))];
  const style = (c) => {
    const own = lineStyle(looks.indexOf(lookKey(data, c)));
    return looks.length <= NUM_COLOURS ? { ...own, dash: c.fabric } : own; // dashes tell fabrics apart where colours suffice
  };
  return curves.map((c) => ({
    name: curveName(data, c), ...style(c),
    points: c.steps.filter((s) => !positive || s[key] > 0).map((s) => ({ x: s.load, y: s[key], ci: s[`${key}_ci95`], past: isLatency(key) && isPast(s), note: s.deadlock ? 'deadlock' : isLatency(key) && isPast(s) ? 'past saturation' : '' })),
  }));
}

function curveRows(data, curves, keys) {
  const columns = [{ key: 'routing', name: 'routing' }, { key: 'fabric', name: 'fabric' }, { key: 'traffic', name: 'traffic' }, { key: 'variant', name: 'settings' },
    { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) }, { key: 'seeds', name: 'seeds', number: true },
    ...keys.flatMap(([key, name, show]) => [{ key, name, number: true, text: (r) => plusMinus(r[key], r[`${key}_ci95`], show) + (isLatency(key) && isPast(r) ? '*' : '') }])];
  const csvOnly = keys.map(([key]) => ({ key: `${key}_ci95`, csv: true }));
  const rows = curves.flatMap((c) => c.steps.map((s) => ({ ...s, routing: data.plans[c.plan].label, fabric: data.fabrics[c.fabric].label, traffic: c.traffic, variant: c.variant })));
  return { columns: [...columns, ...csvOnly], rows };
}

function throughputPlot(data, traffic, curves) {
  const top = Math.max(...curves.flatMap((c) => c.steps.map((s) => s.load)));
  const p = plot({
    label: `Throughput over load under ${traffic}`, diagonal: top,
    x: { name: 'offered load', format: loadText, min: 0 }, y: { name: 'accepted throughput', format: loadText, min: 0 },
    lines: curveLines(data, curves, 'throughput'),
  });
  return card(el('h3', {}, `Throughput: ${traffic}`), p.node,
    numbers(`throughput-${slug(traffic)}`, () => curveRows(data, curves, [['offered', 'offered', percent], ['throughput', 'accepted', percent], ['fairness', 'fairness', (x) => x.toFixed(4)], ['host_throughput_min', 'host with least', percent], ['host_throughput_max', 'host with most', percent]])));
}

function latencyPlot(data, traffic, curves) {
  let metric = latencies[0];
  const spec = () => ({
    label: `Latency (${metric[1]}) over load under ${traffic}`,
    x: { name: 'offered load', format: loadText, min: 0 }, y: { name: `latency, ${metric[1]}`, format: shortTime, log: true },
    lines: curveLines(data, curves, metric[0], true),
  });
  const p = plot(spec());
  const box = numbers(`latency-${slug(traffic)}`, () => curveRows(data, curves, latencies.map(([key, name]) => [key, name, time])));
  const pick = select('show', latencies, (key) => { metric = latencies.find((l) => l[0] === key); p.update(spec()); });
  return card(el('div', { class: 'top' }, el('h3', {}, `Latency: ${traffic}`), pick), p.node, box);
}

function performance(data) {
  if (!endless(data).length) return '';
  const traffics = [...new Set(endless(data).map((c) => c.traffic))];
  const charts = traffics.map((t) => {
    const curves = data.curves.filter((c) => c.traffic === t);
    return el('div', { class: 'grid2' }, throughputPlot(data, t, curves), latencyPlot(data, t, curves));
  });
  const columns = [{ key: 'routing', name: 'routing' }, { key: 'traffic', name: 'traffic' }, { key: 'fabric', name: 'fabric' }, { key: 'variant', name: 'settings' },
    { key: 'saturation_load', name: 'saturation', number: true, text: (r) => (r.saturation_load === null ? 'not reached' : loadText(r.saturation_load)) },
    { key: 'peak_throughput', name: 'peak throughput', number: true, text: (r) => percent(r.peak_throughput) },
    { key: 'low', name: 'mean latency at lowest load', number: true, text: (r) => time(r.low) + (isPast(r.steps[0]) ? '*' : '') },
    { key: 'high', name: 'at highest load', number: true, text: (r) => time(r.high) + (isPast(r.steps.at(-1)) ? '*' : '') }];
  const rows = endless(data).map((c) => ({ ...c, routing: data.plans[c.plan].label, fabric: fabricName(data, c.fabric), low: c.steps[0].latency_mean_ns, high: c.steps.at(-1).latency_mean_ns }));
  return section('performance', 'Throughput and latency',
    el('p', { class: 'quiet' }, 'Loads and throughputs are fractions of the hosts’ injection rate. Bars: 95 % confidence intervals over the seeds. Saturation is the lowest load of which less than 95 % is accepted; the peak throughput is the most that was accepted at any load.',
      endless(data).some((c) => c.steps.some((s) => s.throughput > 1 || s.host_throughput_max > 1)) && ' A packet counts as accepted, as a whole, when all of it has arrived: in a short measured time a host may seem to accept a little more than 100 %.',
      data.points.some((p) => p.probes) && ' Where it was searched for, saturation is the highest load of which at least 95 % is accepted.',
      endless(data).some((c) => c.steps.some(isPast)) && ` Small hollow marks, and stars in tables: ${PAST}.`),
    card(el('h3', {}, 'Saturation and peak throughput'), table(columns, rows), numbersOnlyCsv('saturation', columns, rows)), charts);
}

// ---- link utilisation per level

// The mean of a level is solid (or long dashes, with more levels than colours), its busiest channel dotted or in short dashes.
const tierStyle = (i, busiest) => ({ colour: i % NUM_COLOURS, symbol: (i % 4) + (busiest ? 4 : 0), dash: (busiest ? 2 : 0) + (i >= NUM_COLOURS ? (busiest ? -1 : 4) : 0) });

function utilisation(data) {
  if (!endless(data).length) return '';
  let chosen = data.curves.indexOf(endless(data)[0]);
  const curve = () => data.curves[chosen];
  const lines = () => data.fabrics[curve().fabric].tiers.flatMap((t, i) => [
    { name: `${t.name}, mean`, ...tierStyle(i, false), points: curve().steps.map((s) => ({ x: s.load, y: s.tiers[i].mean, note: plural(t.channels, 'channel') })) },
    { name: `${t.name}, busiest`, ...tierStyle(i, true), points: curve().steps.map((s) => ({ x: s.load, y: s.tiers[i].max })) },
  ]);
  const spec = () => ({ label: `Link utilisation per level, ${curve().label}`, x: { name: 'offered load', format: loadText, min: 0 }, y: { name: 'utilisation', format: loadText, min: 0, max: 1 }, lines: lines() });
  const p = plot(spec(), 380);
  const source = () => ({
    columns: [{ key: 'curve', name: 'curve' }, { key: 'tier', name: 'links' }, { key: 'channels', name: 'channels', number: true }, { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) },
      { key: 'mean', name: 'mean', number: true, text: (r) => percent(r.mean) }, { key: 'max', name: 'busiest', number: true, text: (r) => percent(r.max) }],
    rows: curve().steps.flatMap((s) => data.fabrics[curve().fabric].tiers.map((t, i) => ({ curve: curve().label, tier: t.name, channels: t.channels, load: s.load, ...s.tiers[i] }))),
  });
  const box = numbers('link-utilisation', source);
  const pick = select('routing and traffic', endless(data).map((c) => [data.curves.indexOf(c), curveName(data, c, true)]), (v) => { chosen = +v; p.update(spec()); box.refresh(); });
  return section('utilisation', 'Link utilisation per level', card(el('div', { class: 'controls' }, pick), p.node, box));
}

// ---- the fabric

// What the switches' colours may show at a moment.
const SWITCH_SHOWS = [['filled', 'buffers filled', 'full'], ['blocked', 'buffers blocked', 'blocked'], ['hol', 'held up by a head', 'held up by the head of their queue']];

function fabricView(data) {
  if (!data.curves.length) return section('fabric', 'The fabric', card(fabricPicture(data.fabrics.find((f) => f.drawing)).node));
  let chosen = Math.max(0, data.curves.findIndex((c) => data.fabrics[c.fabric].slow_links.length)), measure = 'mean', step = 0;
  const holder = el('div', {});
  const pictures = new Map();
  const label = el('output', {});
  const slider = el('input', { type: 'range', min: 0, step: 1, 'aria-label': 'load', oninput: (e) => { step = +e.target.value; show(); } });
  let moment = -1;
  const when = el('output', {});
  const clock = el('input', { type: 'range', min: -1, step: 1, value: -1, 'aria-label': 'time', oninput: (e) => { moment = +e.target.value; show(); } });
  const clockBox = el('label', { class: 'control' }, el('span', {}, 'switches at'), clock, when);
  let shown = 'filled';
  const shows = select('show', SWITCH_SHOWS.map(([key, name]) => [key, name]), (v) => { shown = v; show(); }, shown);
  const busyKey = legend('0', '100 % of its rate');
  const rootKey = el('span', { class: 'legend' }, el('span', { class: 'root-mark' }), 'root of a congestion tree');
  const curve = () => data.curves[chosen];
  const fabric = () => data.fabrics[curve().fabric];
  const measures = select('groups by', [['mean', 'mean'], ['max', 'busiest link']], (v) => { measure = v; show(); });
  const box = numbers('channels', () => {
    const s = curve().steps[step];
    const { drawing } = fabric();
    const node = (n) => drawing.names[n], short = shortNames(drawing);
    const rows = drawing.links.flatMap((l) => [[l[0], l[1], l[2], l[4], l[5], l[6]], [l[3], l[4], l[5], l[1], l[2], l[6]]]).map(([c, a, ap, b, bp, cls]) => ({
      channel: c, a, b, from: node(a), from_port: ap, to: node(b), to_port: bp, rate_bps: drawing.classes[cls].rate_bps, utilisation: s.utilisation[c], curve: curve().label, load: s.load }));
    rows.sort((a, b) => b.utilisation - a.utilisation);
    return { columns: [{ key: 'from', name: 'from', text: (r) => short[r.a] }, { key: 'from_port', name: 'port', number: true }, { key: 'to', name: 'to', text: (r) => short[r.b] }, { key: 'to_port', name: 'port', number: true },
      { key: 'rate_bps', name: 'rate', number: true, text: (r) => rate(r.rate_bps) }, { key: 'utilisation', name: 'busy', number: true, text: (r) => percent(r.utilisation) },
      { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) }, { key: 'curve', name: 'curve' }], rows };
  });
  function show() {
    const f = curve().fabric;
    if (!pictures.has(f)) pictures.set(f, fabricPicture(data.fabrics[f]));
    const picture = pictures.get(f);
    if (holder.firstChild !== picture.node) holder.replaceChildren(picture.node);
    measures.hidden = !picture.aggregated;
    slider.max = curve().steps.length - 1;
    slider.hidden = curve().steps.length < 2;
    step = Math.min(step, curve().steps.length - 1);
    slider.value = step;
    label.textContent = `${atLoad(curve().steps[step].load)}: ${percent(curve().steps[step].throughput)} accepted`;
    slider.setAttribute('aria-valuetext', label.textContent);
    const series = curve().steps[step].series;
    clockBox.hidden = !series?.filled.length;
    clock.max = (series?.filled.length ?? 0) - 1;
    moment = Math.min(moment, +clock.max);
    when.textContent = moment < 0 ? 'not shown' : momentText(((moment + 1) * series.period_ps) / 1000);
    const congestion = curve().steps[step].congestion_series;
    const sampled = congestion?.blocked.length > 0;
    shows.hidden = clockBox.hidden || !sampled;
    rootKey.hidden = !sampled || moment < 0;
    const [key, , word] = SWITCH_SHOWS.find(([k]) => k === shown && sampled) ?? SWITCH_SHOWS[0];
    const shares = moment < 0 ? null : key === 'filled' ? series.filled[moment] : congestion[key][moment];
    picture.show(curve().steps[step].utilisation, measure, shares, word, moment < 0 || !sampled ? null : rootsAt(congestion, moment));
    box.refresh();
  }
  const pick = select('routing and traffic', data.curves.map((c, i) => [i, curveName(data, c, true)]), (v) => { chosen = +v; show(); }, chosen);
  step = Math.floor(curve().steps.length * 0.6);
  show();
  return section('fabric', 'The fabric',
    el('p', { class: 'quiet' }, 'Each link has the colour of its busier direction. Point at links, switches and hosts; the wheel zooms, dragging moves, a double click shows everything again.'),
    card(el('div', { class: 'controls' }, pick, el('label', { class: 'control' }, el('span', {}, 'load'), slider, label), clockBox, shows, measures, busyKey.node, rootKey,
      data.fabrics.some((f) => f.slow_links.length) && el('span', { class: 'legend' }, el('span', { class: 'dash' }), 'below the common rate')), holder, box));
}

// ---- points and provenance

function measuredPoints(data, csv) {
  const columns = [{ key: 'routing', name: 'routing' }, { key: 'fabricName', name: 'fabric' }, { key: 'traffic', name: 'traffic' }, { key: 'variant', name: 'settings' }, { key: 'seed', name: 'seed', number: true },
    ...measuresOf(data.points).map(([key, name, text]) => ({ key, name, number: true, text: measured(key, text) }))];
  const rows = data.points.map((p) => ({ ...p, routing: p.plan_label, fabricName: data.fabrics[p.fabric].label }));
  return section('points', 'Every point', card(el('p', { class: 'quiet' }, `${plural(rows.length, 'point')}, measured without simulation; the CSV file is what ikat report --csv prints.`), numbers('points', () => ({ columns, rows }), () => csv)));
}

function points(data, csv) {
  if (!data.curves.length && data.statics) return measuredPoints(data, csv);
  const some = (text) => (x) => (x === null || x === undefined ? '–' : text(x)); // an infeasible point has no results
  const ends = data.curves.some(isWorkload);
  const columns = [{ key: 'routing', name: 'routing' }, { key: 'traffic', name: 'traffic' }, { key: 'variant', name: 'settings' }, { key: 'fabricName', name: 'fabric' },
    { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) }, { key: 'seed', name: 'seed', number: true }, { key: 'throughput', name: 'accepted', number: true, text: (r) => some((x) => percent(x, 2))(r.throughput) },
    { key: 'latency_mean_ns', name: 'latency', number: true, text: (r) => some(time)(r.latency_mean_ns) }, { key: 'latency_p99_ns', name: '99th percentile', number: true, text: (r) => some(time)(r.latency_p99_ns) },
    ...measuresOf(data.points).filter(([key]) => key !== 'deadlock_free').map(([key, name, text]) => ({ key, name, number: true, text: measured(key, text) })),
    ...(ends ? [{ key: 'completion_ns', name: 'completion', number: true, text: (r) => time(r.completion_ns) }, { key: 'slowdown', name: 'slowdown', number: true, text: (r) => (r.slowdown === null ? '–' : r.slowdown.toFixed(3)) }] : []),
    { key: 'packets_delivered', name: 'packets', number: true, text: (r) => some(count)(r.packets_delivered) }, { key: 'deadlock', name: 'deadlock', text: (r) => (r.deadlock ? 'yes' : '') }, { key: 'checksum', name: 'checksum' }];
  const rows = data.points.map((p) => ({ ...p, routing: p.plan_label, fabricName: data.fabrics[p.fabric].label }));
  const locked = data.points.find((p) => p.deadlock);
  return section('points', 'Every point', locked && el('div', { class: 'callout' }, el('h3', {}, `Deadlock: ${locked.routing} under ${locked.traffic}${locked.load === null ? '' : ` at load ${loadText(locked.load)}`}`), el('pre', {}, locked.deadlock)),
    card(el('p', { class: 'quiet' }, `${plural(rows.length, 'point')}, each a simulation of its own with its seed; the CSV file is what ikat report --csv prints.`), numbers('points', () => ({ columns, rows }), () => csv)));
}

function provenance(data) {
  const first = data.points[0]?.params ?? {};
  return section('experiment', 'The experiment', card(
    el('p', { class: 'quiet' }, `Run it again with: ikat run ${data.file}${data.overrides ? data.overrides.trim().split('\n').map((o) => ` --set '${o}'`).join('') : ''}`),
    el('pre', {}, data.experiment),
    el('details', { class: 'text' }, el('summary', {}, 'All parameters of the first point, with their defaults'), el('pre', {}, JSON.stringify(first, null, 2)))));
}

function navigation(data) {
  const any = endless(data).length > 0;
  const items = [hasClaims(data) && ['claims', 'Claims'], hasFigures(data) && ['figures', 'Figures'], data.curves.some(isWorkload) && ['workloads', 'Workloads'], ['findings', 'Findings'], data.plans.some((p) => p.proof.proof !== 'none') && ['proofs', 'Proofs'], data.statics && ['measures', 'Measures'], any && ['performance', 'Throughput and latency'], hasOrder(data) && ['order', 'In-order delivery'], any && ['utilisation', 'Link utilisation'], ['fabric', 'Fabric'], data.curves.some((c) => c.steps.some((x) => x.series)) && ['time', 'Over time'], data.curves.some((c) => c.steps.some((x) => x.congestion)) && ['congestion', 'Congestion'], hasWatch(data) && ['watch', 'Watched packets'], ['points', 'Points'], ['experiment', 'Experiment']];
  return el('nav', { 'aria-label': 'sections' }, el('div', {}, items.filter(Boolean).map(([id, text]) => el('a', { href: `#${id}` }, text))));
}

async function start() {
  startTheme();
  const app = document.getElementById('app');
  const data = await embedded('ikat-data');
  const csv = await embedded('ikat-csv');
  data.settings = shortSettings(data.curves.map((c) => c.variant));
  document.title = `${data.title || data.file}: ikat report`;
  app.append(el('div', { class: 'weave', 'aria-hidden': true }), header(data), navigation(data));
  const main = el('main', {});
  app.append(main);
  if (data.points.length) {
    main.append(summary(data), hasClaims(data) ? claimsView(data) : '', hasFigures(data) ? figuresView(data) : '', workloads(data) ?? '', findings(data), proofs(data), measures(data), performance(data), orderView(data, (c) => curveName(data, c, new Set(data.curves.map((x) => x.traffic)).size > 1)) ?? '', utilisation(data), fabricView(data), overTime(data, (c) => curveName(data, c, true)) ?? '', congestionView(data, (c) => curveName(data, c, true)) ?? '', watchView(data) ?? '', points(data, csv));
  } else {
    main.append(el('p', {}, 'No point is finished yet.'));
  }
  main.append(provenance(data));
  app.append(el('footer', {}, `Made by ikat ${data.ikat}. This file holds everything it shows and loads nothing.`));
  // With #numbers in the address every table is open: for printing, and for tools that read the page.
  if (location.hash === '#numbers') document.querySelectorAll('details').forEach((d) => { d.open = true; });
  document.documentElement.dataset.ready = 'yes';
}

start();
