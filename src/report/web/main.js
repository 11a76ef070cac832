// SPDX-License-Identifier: Apache-2.0
// The report: reads the data that stands in the page and shows it. Nothing is loaded.
import { shortNamesOf, shortSettingsOf, shortSpecs } from './axes.js';
import { congestionView } from './congestion.js';
import { designsPage, isDesigns } from './designs/designs.js';
import { card, el } from './dom.js';
import { fabricView } from './fabricview.js';
import { claimsView, figuresView, hasClaims, hasFigures } from './figures.js';
import { count, loadText, percent, percentAtLeast, percentAtMost, plural, rate, time, verdict } from './format.js';
import { beginParts, endParts } from './kept.js';
import { hasOrder, orderView } from './order.js';
import { overTime } from './overtime.js';
import { endless, performance, steadyText, utilisation } from './performance.js';
import * as state from './state.js';
import { stay } from './stay.js';
import { numbers, table } from './tables.js';
import { forgetListeners, startTheme, toggleTheme } from './theme.js';
import { hasWatch, watchView } from './watch.js';
import { computeBy } from './whatif.js';
import { isWorkload, workloads } from './workload.js';

// Names and settings that are longer are cut where they are shown: browsers take minutes to lay out and measure a million letters.
const LONGEST = 10000;
const cut = (key, value) => (typeof value === 'string' && value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value);
const parse = (text, id) => JSON.parse(text, id !== 'ikat-csv' && new RegExp(`"[^"]{${LONGEST}}`).test(text) ? cut : undefined);

// An element with data, of this page or of another document; null: it is not there.
async function embedded(root, id) {
  const node = root.getElementById(id);
  if (!node) return null;
  if (node.dataset.encoding !== 'deflate') return parse(node.textContent, id);
  const bytes = Uint8Array.from(atob(node.textContent), (c) => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return parse(await new Response(stream).text(), id);
}

// All that a page shows: { data, csv, routes }.
const read = async (root) => ({ data: await embedded(root, 'ikat-data'), csv: await embedded(root, 'ikat-csv'), routes: await embedded(root, 'ikat-routes') });

const section = (id, title, ...children) => el('section', { id }, el('h2', {}, title), ...children);
const fabricName = (data, i) => data.fabrics[i].label;

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
    missing > 0 && data.points_finished === 0 && el('p', { class: 'no' }, `No point is finished yet: ${points(missing)} ${missing === 1 ? 'is' : 'are'} under way or to be run. If the run was stopped, the same ikat run command continues it; this page shows results as soon as a point is finished.`),
    missing > 0 && data.points_finished > 0 && el('p', { class: 'no' }, `This run is not finished: ${points(missing)} ${missing === 1 ? 'is' : 'are'} missing. The same ikat run command continues it.`),
    data.points_left_out > 0 && el('div', { class: 'left-out' }, el('p', { class: 'no' }, `${points(data.points_left_out)} of the sweep could not be run and ${data.points_left_out === 1 ? 'was' : 'were'} left out:`),
      el('ul', {}, data.left_out.map((x) => el('li', {}, `${x.what} (${points(x.points)}): ${x.why}`)))),
  ];
}

// Of workloads: the quickest, and how many were not completed.
function completions(data) {
  const all = data.curves.filter(isWorkload), done = all.filter((c) => c.steps[0].completion_ns !== null);
  const best = done.reduce((a, c) => (!a || c.steps[0].completion_ns < a.steps[0].completion_ns ? c : a), null);
  return [best && [time(best.steps[0].completion_ns), `${all.length > 1 ? 'shortest completion: ' : 'completion: '}${data.nameOf(best)}`],
    all.length > done.length && [`${all.length - done.length} of ${all.length}`, 'workloads were not completed']].filter(Boolean);
}

function summary(data) {
  const failed = data.plans.filter((p) => p.failed).length;
  const asked = data.plans.filter((p) => p.proof.proof !== 'none').length;
  const partial = data.plans.filter((p) => ['sampled', 'off'].includes(p.proof.proof)).length;
  const best = endless(data).reduce((a, c) => (c.peak_throughput !== null && (!a || c.peak_throughput > a.peak_throughput) ? c : a), null);
  const warnings = data.fabrics.reduce((n, g) => n + g.findings.filter((x) => x.severity !== 'note').length, 0);
  const locks = data.points.filter((p) => p.deadlock).length;
  // Of all fabrics, from the least to the most.
  const range = (key, word, words = `${word}s`) => {
    const all = data.fabrics.map((x) => x[key]), least = all.reduce((a, b) => Math.min(a, b)), most = all.reduce((a, b) => Math.max(a, b));
    return least < most ? `${count(least)} to ${count(most)} ${words}` : `${count(most)} ${most === 1 ? word : words}`;
  };
  const one = (strong, span) => el('div', { class: 'card' }, el('strong', {}, strong), el('span', {}, span));
  return el('section', { id: 'summary', class: 'cards' },
    one(range('hosts', 'host'), `${range('switches', 'switch', 'switches')}, ${range('switch_links', 'link')} between them${data.fabrics.length > 1 ? `; ${data.fabrics.length} fabrics${data.over ? '' : ' compared'}` : ''}`),
    one(warnings ? `${plural(warnings, 'finding')}` : 'no findings', warnings ? `that need${warnings > 1 ? '' : 's'} attention` : 'the fabric is as it should be'),
    asked > 0 && one(failed ? `${failed} of ${asked} fail` : partial ? `${asked - partial} of ${asked} proved` : `${asked} proved`,
      failed ? 'routings whose proofs fail' : partial ? 'the others by a sample of pairs, or not at all' : 'every routing delivers, without loops or deadlock'),
    locks > 0 && one(`${plural(locks, 'deadlock')}`, 'points in which packets waited for each other: see Every point'),
    ...completions(data).map(([strong, span]) => one(strong, span)),
    best && one(percent(best.peak_throughput), `highest peak throughput: ${data.nameOf(best)}`));
}

// ---- findings

// What is accepted, where more may be.
const least = (isLeast, x) => (isLeast ? `at least ${percentAtLeast(x)}` : percent(x));

function slowCallout(data, f, fi) {
  const names = shortNamesOf(data, data.curves.filter((c) => c.fabric === fi));
  return f.slow_links.map((s, k) => {
    const costs = data.slow_link_costs.filter((c) => c.fabric === fi && c.slow_link === k);
    const bounds = { 'at least': percentAtLeast, 'at most': percentAtMost, '': percent };
    const lossText = (r) => `${r.loss_bound} ${bounds[r.loss_bound](r.loss, r.loss > 0 && r.loss < 0.01 ? 1 : 0)}`.trim();
    const columns = [
      { key: 'curve', name: 'routing and traffic', text: (r) => r.short, whole: (r) => r.curve },
      { key: 'full_load', name: 'full at load', title: 'The lowest of the loads that were tried at which the slow link carries at least 95 % of its rate.', number: true, text: (r) => (r.full_load === null ? 'at none tried' : loadText(r.full_load)) },
      { key: 'utilisation', name: 'utilisation at that load', number: true, text: (r) => percent(r.utilisation, 0) },
      { key: 'siblings_utilisation', name: 'healthy parallel links', number: true, text: (r) => percent(r.siblings_utilisation, 0) },
      { key: 'peak_throughput', name: 'peak throughput', number: true, text: (r) => (r.peak_throughput === null ? 'no steady point' : least(r.peak_is_least, r.peak_throughput)) },
      { key: 'repaired_peak_throughput', name: 'with the link repaired', number: true, text: (r) => (r.repaired_peak_throughput === null ? '–' : least(r.repaired_peak_is_least, r.repaired_peak_throughput)) },
      { key: 'loss', name: 'throughput lost', number: true, text: (r) => (r.loss === null ? '–' : lossText(r)), whole: (r) => r.text, class: (r) => (r.loss > 0.02 ? 'no' : '') },
    ];
    const rows = costs.map((c) => ({ ...c, curve: data.curves[c.curve].label, short: names(data.curves[c.curve]) }));
    const worst = rows.reduce((a, r) => ((r.loss_bound !== 'at most' && r.loss ? r.loss : 0) > (a?.loss ?? 0.005) ? r : a), null);
    const early = rows.filter((r) => r.full_load !== null).sort((a, b) => a.full_load - b.full_load)[0];
    return el('div', { class: 'callout', 'data-slow-link': s.channel },
      el('h3', {}, `A link runs at ${rate(s.rate_bps)} instead of ${rate(s.common_rate_bps)}`),
      el('p', {}, s.name),
      worst && el('p', {}, el('strong', {}, `It costs ${worst.loss_bound ? '' : 'up to '}${lossText(worst)} of the throughput`), ` (${worst.short}: ${least(worst.peak_is_least, worst.peak_throughput)} accepted, ${least(worst.repaired_peak_is_least, worst.repaired_peak_throughput)} with the link repaired).`),
      !worst && early && el('p', {}, el('strong', {}, `It is full at load ${loadText(early.full_load)}`), ` (${early.short}; at no lower one that was tried), where its healthy parallel links are ${percent(early.siblings_utilisation, 0)} busy.`),
      costs.length ? table(fi || k ? `slow-link-${fi}-${k}` : 'slow-link', columns, rows) : null);
  });
}

const FINDINGS = 4; // of a kind that are shown; if there are more, the rest opens

// Findings in their order; of many of a kind the rest stands behind the first ones, closed.
function findingList(all) {
  const line = (x) => el('div', { class: 'finding' }, el('span', { class: `tag ${x.severity}` }, x.severity), el('div', {}, x.text));
  const kinds = [...new Set(all.map((x) => `${x.severity} ${x.code}`))];
  return kinds.map((kind) => {
    const same = all.filter((x) => `${x.severity} ${x.code}` === kind), shown = same.length > FINDINGS + 1 ? FINDINGS : same.length;
    return [same.slice(0, shown).map(line),
      shown < same.length ? el('details', { class: 'more-findings' }, el('summary', {}, `${count(same.length - shown)} more of this kind`), same.slice(shown).map(line)) : null];
  });
}

function findings(data) {
  const blocks = data.fabrics.map((f, i) => {
    if (f.sample) return null;
    const rest = f.findings.filter((x) => !(x.code === 'slow-link' && f.slow_links.some((s) => s.channel === x.channel || s.opposite === x.channel)));
    if (!f.findings.length && data.fabrics.length > 1) return null;
    return [data.fabrics.length > 1 && el('h3', {}, fabricName(data, i)), slowCallout(data, f, i),
      (rest.length > 0 || !f.slow_links.length) && card(rest.length ? findingList(rest)
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
  const reasons = new Set(shown.map((p) => p.proof.deadlock_reason));
  const columns = [
    { key: 'routing', name: 'routing' }, data.fabrics.length > 1 && { key: 'fabric', name: 'fabric' }, { key: 'vc', name: 'VC scheme' }, { key: 'vcs', name: 'VCs', number: true },
    { key: 'delivered', name: 'delivers every pair', text: tag('delivered'), class: mark('delivered') },
    { key: 'loop_free', name: 'no loop', text: tag('loop_free'), class: mark('loop_free') },
    { key: 'minimal', name: 'minimal', text: tag('minimal') },
    { key: 'deadlock_free', name: 'deadlock-free', text: tag('deadlock_free'), class: mark('deadlock_free') },
    { key: 'flow', name: 'judged for', csv: !shown.some((p) => ['cut_through', 'settled'].includes(p.proof.flow)), text: (r) => ({ cut_through: 'whole packets', settled: 'packets keep their output' })[r.flow] ?? 'any flow control' },
    { key: 'deadlock_reason', name: 'because', csv: reasons.size < 2, class: () => 'wrap' },
    partial && { key: 'proof', name: 'proved', text: (r) => (r.proof === 'off' ? 'nothing' : r.proof === 'sampled' ? `${count(r.sampled_pairs)} pairs` : 'every pair') },
    { key: 'pairs', name: 'pairs', number: true, text: (r) => (r.proof === 'off' ? '–' : count(r.pairs)) }, rare('undelivered', 'undelivered'), rare('unconnected', 'unconnected'),
    { key: 'mean_hops', name: 'mean hops', number: true, text: (r) => proved(r.mean_hops, (x) => x.toFixed(3)) },
    { key: 'max_hops', name: 'most hops', number: true, text: (r) => proved(r.max_hops, count) },
    { key: 'dependencies', name: 'dependencies', number: true, text: (r) => proved(r.dependencies, count) },
  ].filter(Boolean);
  const rows = shown.map((p) => ({ ...p, ...p.proof, routing: p.label, fabric: fabricName(data, p.fabric) }));
  const cycles = shown.filter((p) => p.proof.witness?.length).map((p) => el('div', { class: 'callout' }, el('h3', {}, `${p.label}: a cycle that can deadlock`),
    el('ol', {}, p.proof.witness.map((d) => el('li', {}, `${d.from} → ${d.to} on VC ${d.vc}, held by packets ${d.source} to ${d.destination}`)))));
  return section('proofs', 'Proofs', el('p', { class: 'quiet' }, partial ? 'Not every routing was proved for every pair of hosts: tables say so after its name.' : `Proved for every pair of hosts${data.curves.length ? ' before the first packet was simulated' : ''}${data.over ? '; of samples the first' : ''}.`, reasons.size === 1 && ` Deadlock: ${[...reasons][0]}.`),
    card(table('proofs', columns, rows)), cycles);
}

// ---- what was measured without simulation

// Columns that say which routing, fabric, pattern and settings it is: shown short, whole in the CSV file and under the pointer.
function place(data, list) {
  const of = (key) => shortSpecs(list.map((x) => x[key]));
  const [fabric, traffic] = [of('fabric'), of('traffic')];
  const differs = (key) => new Set(list.map((x) => x[key])).size > 1;
  return [{ key: 'routing', name: 'routing' }, { key: 'fabric', name: 'fabric', text: (r) => fabric.get(r.fabric), whole: (r) => r.fabric },
    differs('traffic') && { key: 'traffic', name: 'traffic', text: (r) => traffic.get(r.traffic), whole: (r) => r.traffic }, differs('variant') && { key: 'variant', name: 'settings', text: (r) => data.settings.get(r.variant) ?? r.variant, whole: (r) => r.variant }].filter(Boolean);
}

const plainNumber = (x) => (Number.isInteger(x) ? count(x) : x.toFixed(3));
const MEASURES = [['feasible', 'feasible', (x) => percent(x)], ['deadlock_free', 'deadlock-free', (x) => percent(x)], ['mean_hops', 'mean hops', plainNumber], ['max_hops', 'most hops', plainNumber],
  ['entries_mean', 'entries per switch', plainNumber], ['entries_max', 'largest table', plainNumber], ['least_t_max', 'least t_max', plainNumber], ['contention', 'contention', plainNumber],
  ['static_slowdown', 'predicted slowdown', plainNumber], ['static_saturation', 'predicted saturation', (x) => percent(x)],
  ['band_minimal', 'saturation if all goes minimally', (x) => percent(x)], ['band_valiant', 'if all takes detours', (x) => percent(x)],
  ['band_split', 'with one share for all pairs', (x) => percent(x)], ['band_split_minimal', 'that share', (x) => percent(x)], ['band_high', 'however divided, at most', (x) => percentAtMost(x)],
  ['bound_low', 'best routing of all, at least', (x) => percentAtLeast(x)], ['bound_high', 'best routing of all, at most', (x) => percentAtMost(x)], ['share_of_bound', 'predicted saturation over the bound, at least', (x) => percentAtLeast(x)], ['effective_bandwidth', 'effective bandwidth', (x) => percent(x)],
  ['efficiency', 'efficiency', (x) => percent(x)], ['ports_per_host', 'ports per host', plainNumber], ['links_per_host', 'links per host', plainNumber], ['bisection', 'bisection per host', plainNumber],
  ['hosts', 'hosts', plainNumber], ['switches', 'switches', plainNumber], ['radix', 'radix', plainNumber], ['diameter', 'diameter', plainNumber],
  ['min_paths', 'fewest paths', plainNumber], ['mean_paths', 'mean paths', plainNumber], ['max_paths', 'most paths', plainNumber],
  ['nca_routes_min', 'routes of the root with fewest', plainNumber], ['nca_routes_mean', 'routes per root', plainNumber], ['nca_routes_max', 'of the root with most', plainNumber], ['nca_routes_sd', 'deviation', plainNumber],
  ['destinations_injection', 'destinations per queue: injection', plainNumber], ['destinations_up_1', 'up from level 1', plainNumber], ['destinations_up_2', 'up from level 2', plainNumber], ['destinations_down_2', 'down to level 2', plainNumber], ['destinations_down_1', 'down to level 1', plainNumber], ['destinations_between', 'between switches', plainNumber], ['destinations_ejection', 'ejection', plainNumber],
  ['permutations_free', 'permutations without contention', (x) => percent(x)], ['permutations_contention', 'their mean contention', plainNumber], ['permutations_contention_max', 'their largest contention', plainNumber]];
const MEANINGS = { static_saturation: 'Predicted from the load of the busiest channel: the load at which it is full. The saturation of a simulation is measured.', band_minimal: 'What goes minimally depends on queues: no saturation is predicted, a band is.', band_split: 'The best share of minimal packets that is the same for all pairs.', band_high: 'No division of the flows over their paths carries more.', bound_low: 'Some division of the traffic over any paths of this fabric carries this load.', bound_high: 'No division of the traffic over any paths of this fabric carries more: no routing does.', share_of_bound: 'The predicted saturation over the upper end of the bound: the routing carries at least this share of what the best one does.', feasible: 'Samples on which the routing can be made.', contention: 'Flows on the busiest channel of a permutation.' };
const measuresOf = (list) => MEASURES.filter(([key]) => list.some((s) => s[key] !== null && s[key] !== undefined));
// A mean with as many places as its interval has with two digits.
function withInterval(mean, ci, text) {
  const share = text(1).includes('%'), scale = share ? 100 : 1, places = Math.min(4, Math.max(0, 1 - Math.floor(Math.log10(scale * ci))));
  return `${(scale * mean).toFixed(places)} ± ${(scale * ci).toFixed(places)}${share ? ' %' : ''}`;
}
const measured = (key, text, ci) => (r) => (r[key] === null || r[key] === undefined ? '–' : ci && r[`${key}_ci95`] ? withInterval(r[key], r[`${key}_ci95`], text) : text(r[key]));

function measures(data) {
  if (!data.statics) return '';
  const rows = data.statics.map((s) => ({ ...s, routing: s.plan_label, fabric: s.fabric_label ?? data.fabrics[s.fabric].label }));
  const columns = [...place(data, rows),
    data.statics.some((s) => s.samples > 1) && { key: 'samples', name: 'samples', number: true, text: (r) => count(r.samples) },
    ...measuresOf(data.statics).map(([key, name, text]) => ({ key, name, title: MEANINGS[key], number: true, text: measured(key, text, true) })), ...measuresOf(data.statics).map(([key]) => ({ key: `${key}_ci95`, csv: true }))].filter(Boolean);
  return section('measures', 'Measures', el('p', { class: 'quiet' }, data.over ? `Means over ${data.over.join(', ')}, with half their 95 % confidence intervals; infeasible samples have no values.` : data.curves.length ? 'Measured beside the simulations.' : 'Measured without simulation.'),
    card(table('measures', columns, rows)));
}

// ---- points and provenance

function measuredPoints(data, csv) {
  const rows = data.points.map((p) => ({ ...p, routing: p.plan_label, fabric: data.fabrics[p.fabric].label }));
  const columns = [...place(data, rows), { key: 'seed', name: 'seed', number: true }, ...measuresOf(data.points).map(([key, name, text]) => ({ key, name, number: true, text: measured(key, text) }))];
  return section('points', 'Every point', card(el('p', { class: 'quiet' }, `${plural(rows.length, 'point')}, measured without simulation; the CSV file is what ikat report --csv prints.`), numbers('points', () => ({ columns, rows }), () => csv)));
}

function points(data, csv) {
  if (!data.curves.length && data.statics) return measuredPoints(data, csv);
  const some = (text) => (x) => (x === null || x === undefined ? '–' : text(x)); // an infeasible point has no results
  const ends = data.curves.some(isWorkload);
  const rows = data.points.map((p) => ({ ...p, routing: p.plan_label, fabric: data.fabrics[p.fabric].label }));
  const columns = [...place(data, rows), { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) }, { key: 'seed', name: 'seed', number: true }, { key: 'throughput', name: 'accepted', number: true, text: (r) => some((x) => percent(x, 2))(r.throughput) },
    { key: 'latency_mean_ns', name: 'latency', number: true, text: (r) => some(time)(r.latency_mean_ns) }, { key: 'latency_p99_ns', name: '99th percentile', number: true, text: (r) => some(time)(r.latency_p99_ns) },
    ...measuresOf(data.points).filter(([key]) => key !== 'deadlock_free').map(([key, name, text]) => ({ key, name, number: true, text: measured(key, text) })),
    ...(ends ? [{ key: 'completion_ns', name: 'completion', number: true, text: (r) => time(r.completion_ns) }, { key: 'slowdown', name: 'slowdown', number: true, text: (r) => (r.slowdown === null ? '–' : r.slowdown.toFixed(3)) }] : []),
    { key: 'packets_delivered', name: 'packets', number: true, text: (r) => some(count)(r.packets_delivered) }, ...(data.curves.some((c) => !isWorkload(c)) ? [{ key: 'steady', name: 'steady', text: (r) => r.steady ?? '–', whole: steadyText }, { key: 'steady_reason', name: 'reason' }] : []),
    { key: 'deadlock', name: 'deadlock', text: (r) => (r.deadlock ? 'yes' : '') }, { key: 'checksum', name: 'checksum' }];
  const locked = data.points.find((p) => p.deadlock);
  return section('points', 'Every point', locked && el('div', { class: 'callout' }, el('h3', {}, `Deadlock: ${locked.routing} under ${locked.traffic}${locked.load === null ? '' : ` at load ${loadText(locked.load)}`}`), el('pre', {}, locked.deadlock)),
    card(el('p', { class: 'quiet' }, `${plural(rows.length, 'point')}, each is a separate simulation with its own seed; the CSV file is what ikat report --csv prints.`), numbers('points', () => ({ columns, rows }), () => csv)));
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
  const items = [hasClaims(data) && ['claims', 'Claims'], hasFigures(data) && ['figures', 'Figures'], data.curves.some(isWorkload) && ['workloads', 'Workloads'], ['findings', 'Findings'], data.plans.some((p) => p.proof.proof !== 'none') && ['proofs', 'Proofs'], data.statics && ['measures', 'Measures'], any && ['performance', 'Throughput and latency'], hasOrder(data) && ['order', 'In-order delivery'], any && ['utilisation', 'Link utilisation'], data.fabrics.some((f) => f.drawing) && ['fabric', 'Fabric'], data.curves.some((c) => c.steps.some((x) => x.series)) && ['time', 'Over time'], data.curves.some((c) => c.steps.some((x) => x.congestion)) && ['congestion', 'Congestion'], hasWatch(data) && ['watch', 'Watched packets'], ['points', 'Points'], ['experiment', 'Experiment']];
  return items.filter(Boolean);
}

// Short names that distinguish curves and patterns.
function prepare(data) {
  data.settings = shortSettingsOf(data, [...data.curves, ...(data.statics ?? [])]);
  data.nameOf = shortNamesOf(data, data.curves);
  const traffics = shortSpecs(data.curves.map((c) => c.traffic));
  data.shortTraffic = (t) => traffics.get(t) ?? t;
}

// The sections in their order; one that has nothing to show is not there.
function sections(data, csv) {
  if (!data.points.length) return [el('p', {}, 'No point is finished yet.')];
  return [summary(data), hasClaims(data) && claimsView(data), hasFigures(data) && figuresView(data), workloads(data), findings(data), proofs(data), measures(data), performance(data), orderView(data),
    utilisation(data), fabricView(data), overTime(data), congestionView(data), watchView(data), points(data, csv)].filter(Boolean);
}

const links = (items) => el('nav', { 'aria-label': 'sections' }, el('div', {}, items.map(([id, text]) => el('a', { href: `#${id}`, onclick: (e) => { e.preventDefault(); state.goTo(id); } }, text))));

function resultsPage({ data, csv, routes }) {
  data.routes = routes;
  prepare(data);
  document.title = `${data.title || data.file}: ikat report`;
  return { head: header(data), items: navigation(data), sections: [...sections(data, csv), provenance(data)] };
}

function draw(given) {
  const { data } = given, page = isDesigns(data) ? designsPage(data) : resultsPage(given);
  document.getElementById('app').replaceChildren(el('div', { class: 'weave', 'aria-hidden': true }), page.head, links(page.items), el('main', {}, page.sections),
    el('footer', {}, `Made by ikat ${data.ikat}. This file has everything that it shows and loads nothing else. `, el('span', { class: 'screen' }, 'Your choices are stored in the address: whoever opens the file with this address sees the same.')));
  // With #numbers in the address every table is open: for printing, and for tools that read the page.
  if (state.section() === 'numbers') document.querySelectorAll('details').forEach((d) => { d.open = true; });
}

// The page shows other data, as read() gives it, in the place of what it shows: the reader keeps the place, what is chosen, opened and pointed at.
function show(given) {
  const back = stay();
  beginParts();
  forgetListeners();
  draw(given);
  endParts();
  back();
}

async function start() {
  startTheme();
  draw(await read(document));
  if (state.section() && state.section() !== 'numbers') requestAnimationFrame(() => document.getElementById(state.section())?.scrollIntoView({ behavior: 'instant' }));
  // For a script that has newer data, or computes what would be, such as that of ikat serve.
  window.ikat = { read, show, computeBy };
  document.documentElement.dataset.ready = 'yes';
}

start();
