// SPDX-License-Identifier: Apache-2.0
// Finite workloads: how long they took, when the hosts finished, who ended last, and what that waited for.
import { barKeys, bars } from './bars.js';
import { looksOf, shortNamesOf } from './axes.js';
import { choose, el } from './dom.js';
import { count, loadText, percent, plural, plusMinus, shortTime, time } from './format.js';
import { plot } from './plots.js';
import { ranksView, waitedLinks } from './ranks.js';
import { numbers, table } from './tables.js';
import { css, seriesColour } from './theme.js';

const ROWS = 40, CHARTS = 12; // bars of one chart; charts
const SPANS = 60; // classes
const LINES = 24; // curves of one plot
const NAMED = 3; // hosts that are named

export const isWorkload = (curve) => curve.steps[0].load === null;

// Where a critical path spends its time: [kind, words, what it means, colour].
const KINDS = [
  ['compute', 'computing', 3], ['processor', 'waiting for a processor', 6], ['queue', 'at the adapter, behind other messages', 1],
  ['credit', 'at the adapter, no credit', 4], ['throttled', 'at the adapter, no reorder space', 5], ['sending', 'sending the message itself', 2], ['latency', 'latency of an empty network', 0],
  ['network', 'waiting in the network', 7], ['reorder', 'in the reorder buffer', 6], ['memory', 'in memory that ranks share', 3],
  ['gap', 'in the gap between messages', 4],
];
const words = (kind) => KINDS.find(([k]) => k === kind)?.[1] ?? kind;
const colourOf = (kind) => seriesColour(KINDS.find(([k]) => k === kind)?.[2] ?? 5);

const ns = (ps) => ps / 1000;
const factor = (x) => (x === null || x === undefined ? '–' : `${x.toFixed(3)}×`);

// ---- how long

const COMPLETION = [['as long as on the reference crossbar', () => seriesColour(0)], ['beyond that', () => seriesColour(1)]];
const ALONE = [['as long as alone', () => seriesColour(0)], ['beyond that', () => seriesColour(1)]];

function completionBars(all, nameOf) {
  const done = all.filter((c) => c.steps[0].completion_ns !== null);
  const shown = all.slice(0, ROWS);
  const rows = shown.map((c) => {
    const s = c.steps[0], completion = s.completion_ns;
    if (completion === null) return { name: nameOf(c), title: c.label, value: 'not completed', none: true, parts: [] };
    const reference = s.slowdown > 0 ? Math.min(completion, completion / s.slowdown) : 0;
    const first = reference ? [{ from: 0, to: reference, colour: () => seriesColour(0), title: `on the reference crossbar: ${time(reference)}` }] : [];
    const rest = { from: reference, to: completion, colour: () => seriesColour(reference ? 1 : 0), title: reference ? `beyond that: ${time(completion - reference)}` : time(completion) };
    return { name: nameOf(c), title: c.label, at: completion, ci: s.completion_ns_ci95, parts: [...first, rest],
      value: [el('strong', {}, time(completion)), s.slowdown > 0 ? ` slowdown ${factor(s.slowdown)}` : ''] };
  });
  const max = Math.max(0, ...done.map((c) => c.steps[0].completion_ns + (c.steps[0].completion_ns_ci95 ?? 0)));
  return bars({ label: 'Time until the last delivery', axis: 'time until completion', format: shortTime, max, rows }, COMPLETION).node;
}

// A chart for each pattern: times of different ones are not compared.
function completion(data, all) {
  const traffics = [...new Set(all.map((c) => c.traffic))].slice(0, CHARTS);
  const of = (t) => all.filter((c) => c.traffic === t);
  return [barKeys(COMPLETION),
    traffics.map((t) => [traffics.length > 1 && el('h4', { title: t }, data.shortTraffic(t)), completionBars(of(t), shortNamesOf(data, of(t)))]),
    traffics.some((t) => of(t).length > ROWS) && el('p', { class: 'quiet' }, `The first ${ROWS} of each; the table of numbers has all.`)];
}

function completionNumbers(data, all) {
  const columns = [{ key: 'fabric', name: 'fabric' }, { key: 'routing', name: 'routing' }, { key: 'traffic', name: 'traffic', text: (r) => data.shortTraffic(r.traffic), whole: (r) => r.traffic }, { key: 'variant', name: 'settings' },
    { key: 'completion_ns', name: 'completion', number: true, text: (r) => plusMinus(r.completion_ns, r.completion_ns_ci95, time) },
    { key: 'slowdown', name: 'slowdown', number: true, text: (r) => plusMinus(r.slowdown, r.slowdown_ci95, factor) },
    { key: 'effective_throughput', name: 'effective throughput', number: true, text: (r) => percent(r.effective_throughput) },
    { key: 'messages', name: 'messages', number: true, text: (r) => (r.messages === undefined ? '–' : count(r.messages)) },
    { key: 'bytes', name: 'bytes', number: true, text: (r) => (r.bytes === undefined ? '–' : count(r.bytes)) },
    { key: 'last', name: 'last host' }, { key: 'seeds', name: 'seeds', number: true },
    { key: 'completion_ns_ci95', csv: true }, { key: 'slowdown_ci95', csv: true }];
  const rows = all.map((c) => {
    const s = c.steps[0], w = s.workload;
    return { ...s, fabric: data.fabrics[c.fabric].label, routing: data.plans[c.plan].label, traffic: c.traffic, variant: c.variant, messages: w?.messages, bytes: w?.bytes,
      last: s.completion_ns !== null && w?.last_hosts.length ? hostName(data, c, w.last_hosts[0].host) : '–' };
  });
  return { columns, rows };
}

// ---- jobs

const meanOf = (values) => (values.length && values.every((x) => x !== null) ? values.reduce((a, b) => a + b, 0) / values.length : null);

// Each job of each curve, means over the seeds.
function jobRows(data, all, nameOf) {
  return all.flatMap((c) => {
    const points = data.points.filter((p) => p.jobs && p.fabric === c.fabric && data.plans[p.plan].label === data.plans[c.plan].label && p.traffic === c.traffic && p.variant === c.variant);
    return (points[0]?.jobs ?? []).map((job, k) => {
      const of = (key) => meanOf(points.map((p) => p.jobs[k][key]));
      return { workload: c.label, short: nameOf(c), job: job.name, hosts: job.hosts, messages: job.messages, bytes: job.bytes, start_ns: job.start_ns,
        completion_ns: of('completion_ns'), alone_ns: of('alone_ns'), slowdown: of('slowdown'), seeds: points.length,
        ...(job.load === undefined ? {} : { load: job.load, throughput: of('throughput'), latency_mean_ns: of('latency_mean_ns') }) };
    });
  });
}

function jobsView(data, all, nameOf) {
  const rows = jobRows(data, all, nameOf);
  if (!rows.length) return null;
  const done = rows.filter((r) => r.completion_ns !== null), dash = (show) => (x) => (x === null ? '–' : show(x));
  const chart = bars({ label: 'Time of each job from its start', axis: 'time from the start of the job to its last delivery', format: shortTime, max: Math.max(0, ...done.map((r) => r.completion_ns)),
    rows: rows.slice(0, ROWS).map((r) => {
      const name = all.length > 1 ? `${r.job}: ${r.short}` : r.job;
      if (r.load !== undefined) return { name, value: `in the background at ${percent(r.load)}: ${percent(r.throughput)} accepted`, none: true, parts: [] };
      if (r.completion_ns === null) return { name, value: 'not completed', none: true, parts: [] };
      const alone = Math.min(r.completion_ns, r.alone_ns ?? 0);
      return { name, title: name, value: [el('strong', {}, time(r.completion_ns)), r.slowdown === null ? '' : ` slowdown ${factor(r.slowdown)}`],
        parts: [{ from: 0, to: alone, colour: () => seriesColour(0), title: `alone: ${dash(time)(r.alone_ns)}` }, { from: alone, to: r.completion_ns, colour: () => seriesColour(1), title: `together with the others: ${time(r.completion_ns - alone)} more` }] };
    }) }, ALONE);
  const columns = [{ key: 'workload', name: 'workload', text: (r) => r.short, whole: (r) => r.workload }, { key: 'job', name: 'job' }, { key: 'hosts', name: 'hosts', number: true }, { key: 'messages', name: 'messages', number: true, text: (r) => count(r.messages) },
    { key: 'bytes', name: 'bytes', number: true, text: (r) => count(r.bytes) }, { key: 'start_ns', name: 'start', number: true, text: (r) => time(r.start_ns) },
    { key: 'completion_ns', name: 'completion', number: true, text: (r) => dash(time)(r.completion_ns) }, { key: 'alone_ns', name: 'alone', number: true, text: (r) => dash(time)(r.alone_ns) },
    { key: 'slowdown', name: 'slowdown', number: true, text: (r) => factor(r.slowdown) }, { key: 'seeds', name: 'seeds', number: true },
    ...(rows.some((r) => r.load !== undefined) ? [{ key: 'load', name: 'load', number: true, text: (r) => (r.load === undefined ? '–' : percent(r.load)) },
      { key: 'throughput', name: 'accepted', number: true, text: (r) => (r.load === undefined ? '–' : percent(r.throughput)) },
      { key: 'latency_mean_ns', name: 'latency', number: true, text: (r) => (r.load === undefined ? '–' : dash(time)(r.latency_mean_ns)) }] : [])];
  return el('div', { class: 'card', id: 'jobs' }, el('h3', {}, 'Jobs'),
    el('p', { class: 'quiet' }, 'From the start of each job to its last delivery, against the same job alone on the same fabric. Means over the seeds.'),
    barKeys(ALONE), chart.node,
    rows.length > ROWS && el('p', { class: 'quiet' }, `The first ${ROWS}; the table of numbers has all.`), numbers('jobs', () => ({ columns, rows }), null, chart.save));
}

// ---- who ended last, and why

const hostName = (data, c, host) => { const { drawing } = data.fabrics[c.fabric]; return drawing.names[drawing.switches + host]; };
const completed = (c) => c.steps[0].workload?.critical_path.segments.length > 0;

// What a segment is about: "host 3 to host 7, 256 B".
const message = (data, c, s) => (s.peer === null ? hostName(data, c, s.host) : `${hostName(data, c, s.host)} to ${hostName(data, c, s.peer)}, ${count(s.bytes)} B`);

function pathParts(data, c) {
  const path = c.steps[0].workload.critical_path;
  const begin = ns(path.segments[0].begin_ps);
  const before = begin > 0 ? [{ from: 0, to: begin, colour: () => css('--rule'), title: `${plural(path.left_out, 'earlier segment')}, not drawn: ${time(begin)}` }] : [];
  return [...before, ...path.segments.map((s) => ({ from: ns(s.begin_ps), to: ns(s.end_ps), colour: () => colourOf(s.kind),
    title: `${words(s.kind)}, ${message(data, c, s)}: ${time(ns(s.end_ps - s.begin_ps))}, from ${time(ns(s.begin_ps))}` }))];
}

// The kinds of a path with their shares, the largest first.
function shares(c) {
  const path = c.steps[0].workload.critical_path, all = path.segments.at(-1).end_ps;
  return KINDS.map(([kind]) => [kind, path[`${kind}_ps`] / all]).filter(([, x]) => x >= 0.005).sort((a, b) => b[1] - a[1]);
}

function reasons(data, all, nameOf) {
  const of = all.filter(completed);
  if (!of.length) return null;
  const shown = of.slice(0, ROWS);
  const max = Math.max(...of.map((c) => ns(c.steps[0].workload.critical_path.segments.at(-1).end_ps)));
  const used = KINDS.filter(([kind]) => of.some((c) => c.steps[0].workload.critical_path[`${kind}_ps`] > 0));
  const keys = used.map(([kind, text]) => [text, () => colourOf(kind)]);
  const rows = shown.map((c) => ({ name: nameOf(c), title: c.label, value: hostName(data, c, c.steps[0].workload.critical_path.segments.at(-1).peer ?? c.steps[0].workload.last_hosts[0].host), parts: pathParts(data, c) }));
  const columns = [{ key: 'name', name: 'workload', text: (r) => r.short, whole: (r) => r.name },
    { key: 'last', name: 'ended last', class: () => 'wrap', text: (r) => r.hosts.map(([host, at]) => `${host} (${time(at)})`).join(', ') },
    { key: 'message', name: 'last message', class: () => 'wrap' }, { key: 'messages', name: 'messages on the path', number: true },
    { key: 'why', name: 'the last delivery waited', class: () => 'wrap', text: (r) => r.shares.map(([kind, x]) => `${percent(x, 0)} ${words(kind)}`).join(', ') },
    ...KINDS.map(([kind]) => ({ key: `${kind}_ps`, csv: true }))];
  const table_rows = of.map((c) => {
    const w = c.steps[0].workload, hosts = w.last_hosts.slice(0, NAMED).map((h) => [hostName(data, c, h.host), ns(h.finish_ps)]);
    return { ...w.critical_path, name: c.label, short: nameOf(c), hosts, last: hosts.map(([host]) => host).join(' '), message: message(data, c, w.critical_path.segments.at(-1)), why: shares(c).map(([kind]) => kind).join(' '), shares: shares(c) };
  });
  const segments = numbers('critical-path', () => ({
    columns: [{ key: 'workload', name: 'workload', text: (r) => r.short, whole: (r) => r.workload }, { key: 'kind', name: 'where', text: (r) => words(r.kind) }, { key: 'from', name: 'host' }, { key: 'to', name: 'to' }, { key: 'operation', name: 'operation', number: true },
      { key: 'bytes', name: 'bytes', number: true, text: (r) => count(r.bytes) }, { key: 'begin_ns', name: 'from', number: true, text: (r) => time(r.begin_ns) }, { key: 'time_ns', name: 'time', number: true, text: (r) => time(r.time_ns) }],
    rows: of.flatMap((c) => c.steps[0].workload.critical_path.segments.map((s) => ({ ...s, workload: c.label, short: nameOf(c), from: hostName(data, c, s.host), to: s.peer === null ? '' : hostName(data, c, s.peer), begin_ns: ns(s.begin_ps), time_ns: ns(s.end_ps - s.begin_ps) }))),
  }));
  return el('div', { class: 'card' }, el('h3', {}, 'Which hosts ended last, and why'),
    el('p', { class: 'quiet' }, 'The critical path of each workload: from the last delivery back to time 0, each operation waited longest for the one before. Parts meet and sum to the completion; point at one to see which message. After each bar: the host that ended last.'),
    barKeys(keys),
    bars({ label: 'What each completion waited for', axis: 'time', format: shortTime, max, rows }, keys).node,
    table('done-last', columns, table_rows), segments);
}

// ---- over time


function finishPlot(data, all, nameOf) {
  const of = all.filter(completed).slice(0, LINES), looks = looksOf(data, of);
  if (!of.length) return null;
  const spec = { label: 'Finished hosts over time', key: 'hosts-done', x: { name: 'time', format: shortTime, min: 0 }, y: { name: 'finished hosts', format: loadText, min: 0, max: 1 },
    keys: looks.keys, lines: of.map((c) => ({ name: nameOf(c), whole: c.label, curve: c, ...looks.styleOf(c), points: c.steps[0].workload.finish_percentiles_ps.map((ps, i) => ({ x: ns(ps), y: i / 100 })) })) };
  const p = plot(spec);
  return el('div', { class: 'card' }, el('h3', {}, 'When the hosts finished'), p.node, numbers('hosts-done', () => ({
    columns: [{ key: 'workload', name: 'workload', text: (r) => r.short, whole: (r) => r.workload }, { key: 'share', name: 'hosts done', number: true, text: (r) => loadText(r.share) }, { key: 'time_ns', name: 'by', number: true, text: (r) => time(r.time_ns) }],
    rows: of.flatMap((c) => c.steps[0].workload.finish_percentiles_ps.map((ps, i) => ({ workload: c.label, short: nameOf(c), share: i / 100, time_ns: ns(ps) }))) }), null, p.save));
}

// The share of a workload's bytes that is delivered by the end of each period.
function delivered(c) {
  const { series } = c.steps[0], end = c.steps[0].completion_ns ?? Infinity;
  const sum = series.throughput.reduce((a, x) => a + x, 0);
  let have = 0;
  return [{ x: 0, y: 0 }, ...series.throughput.map((x, t) => { have += x; return { x: Math.min(end, ns((t + 1) * series.period_ps)), y: sum > 0 ? have / sum : 0 }; })];
}

function deliveredPlot(data, all, nameOf) {
  const of = all.filter((c) => c.steps[0].completion_ns !== null && c.steps[0].series).slice(0, LINES), looks = looksOf(data, of);
  if (!of.length) return null;
  const spec = { label: 'Bytes delivered over time', key: 'bytes-delivered', x: { name: 'time', format: shortTime, min: 0 }, y: { name: 'bytes delivered', format: loadText, min: 0, max: 1 },
    keys: looks.keys, lines: of.map((c) => ({ name: nameOf(c), whole: c.label, curve: c, ...looks.styleOf(c), points: delivered(c) })) };
  const p = plot(spec);
  return el('div', { class: 'card' }, el('h3', {}, 'Bytes delivered'), p.node, numbers('bytes-delivered', () => ({
    columns: [{ key: 'workload', name: 'workload', text: (r) => r.short, whole: (r) => r.workload }, { key: 'time_ns', name: 'time', number: true, text: (r) => time(r.time_ns) }, { key: 'share', name: 'delivered', number: true, text: (r) => percent(r.share) }],
    rows: of.flatMap((c) => delivered(c).map((p) => ({ workload: c.label, short: nameOf(c), time_ns: p.x, share: p.y }))) }), null, p.save));
}

// ---- classes of messages

// Each class as a span from its first start to its last delivery.
function classesView(all, nameOf) {
  const of = all.filter((c) => (c.steps[0].workload?.classes.length ?? 0) > 1);
  if (!of.length) return null;
  const pick = choose('workload', 'classes.of', of.map((c, k) => [k, nameOf(c), c.label]), 0, () => { chart.update(spec()); say(); });
  const spec = () => {
    const chosen = of[pick.value], w = chosen.steps[0].workload, shown = w.classes.filter((k) => k.first_start_ps !== null && k.last_delivery_ps !== null).slice(0, SPANS);
    return { label: `Classes of messages over time, ${nameOf(chosen)}`, axis: 'time', format: shortTime, max: Math.max(...shown.map((k) => ns(k.last_delivery_ps)), 1),
      rows: shown.map((k) => ({ name: k.name || 'all messages', value: `until ${time(ns(k.last_delivery_ps))}`,
        parts: [{ from: ns(k.first_start_ps), to: ns(k.last_delivery_ps), colour: () => seriesColour(0), title: `${k.name}: ${plural(k.messages, 'message')}, ${count(k.bytes)} B, from ${time(ns(k.first_start_ps))} to ${time(ns(k.last_delivery_ps))}` }] })) };
  };
  const chart = bars(spec());
  const more = el('p', { class: 'quiet' });
  const say = () => { const w = of[pick.value].steps[0].workload, n = w.classes.length + (w.classes_left_out ?? 0); more.textContent = n > SPANS ? `The first ${SPANS} of ${count(n)} classes; ikat report --csv --table message_classes has all.` : ''; };
  const box = numbers('message-classes', () => ({
    columns: [{ key: 'workload', name: 'workload', text: (r) => r.short, whole: (r) => r.workload }, { key: 'name', name: 'class' }, { key: 'messages', name: 'messages', number: true, text: (r) => count(r.messages) }, { key: 'bytes', name: 'bytes', number: true, text: (r) => count(r.bytes) },
      { key: 'first_start_ns', name: 'first start', number: true, text: (r) => time(r.first_start_ns) }, { key: 'last_delivery_ns', name: 'last delivery', number: true, text: (r) => time(r.last_delivery_ns) }],
    rows: of.flatMap((c) => c.steps[0].workload.classes.map((k) => ({ ...k, workload: c.label, short: nameOf(c), first_start_ns: k.first_start_ps === null ? null : ns(k.first_start_ps), last_delivery_ns: k.last_delivery_ps === null ? null : ns(k.last_delivery_ps) }))),
  }), null, chart.save);
  say();
  return el('div', { class: 'card' }, el('h3', {}, 'Classes of messages'), of.length > 1 && el('div', { class: 'controls' }, pick.node), chart.node, more, box);
}

// ---- all

// What is missing of points that were not completed.
function missing(data) {
  const points = data.points.filter((p) => p.missing);
  if (!points.length) return null;
  const [first] = points;
  return el('div', { class: 'callout' }, el('h3', {}, `${plural(points.length, 'point')} ${points.length === 1 ? 'was' : 'were'} not completed`),
    el('p', {}, `${first.plan_label} under ${first.traffic}, seed ${first.seed}, given up after ${time(ns(first.end_ps))}:`), el('pre', {}, first.missing));
}

// Why a workload was quicker than on the reference crossbar.
function belowOne(all) {
  const quick = all.filter((c) => c.steps[0].workload?.slowdown_reason);
  if (!quick.length) return null;
  return el('div', { class: 'callout' }, el('h3', {}, 'Slowdowns below 1'), quick.map((c) => el('p', {}, `${c.label}: ${c.steps[0].workload.slowdown_reason}`)));
}

export function workloads(data) {
  const all = data.curves.filter(isWorkload);
  if (!all.length) return null;
  const nameOf = shortNamesOf(data, all);
  const traffics = [...new Set(all.map((c) => c.traffic))];
  return el('section', { id: 'workloads' }, el('h2', {}, 'Workloads'),
    el('p', { class: 'quiet' }, traffics.length === 1 ? `${traffics[0]}. ` : '', 'Time from 0 until the last delivery; slowdown: that time over the time of the same workload on the reference crossbar. Means over the seeds; curves and paths are of the first seed.'),
    missing(data),
    belowOne(all),
    el('div', { class: 'card' }, el('h3', {}, 'How long it took'), completion(data, all), numbers('workloads', () => completionNumbers(data, all))),
    jobsView(data, all, nameOf),
    reasons(data, all, nameOf),
    waitedLinks(data, all.filter(completed), nameOf),
    ranksView(data, all, nameOf),
    classesView(all, nameOf),
    el('div', { class: 'grid2' }, finishPlot(data, all, nameOf), deliveredPlot(data, all, nameOf)));
}
