// SPDX-License-Identifier: Apache-2.0
// Programs: in what their ranks spent the time, who sent how much to whom, and the links that the critical path waited on.
import { barKeys, bars } from './bars.js';
import { choose, el } from './dom.js';
import { count, percent, plural, shortTime, time } from './format.js';
import { callKeys, CALLS, timeLines } from './lines.js';
import { matrix } from './matrix.js';
import { channelNames, shortNames } from './names.js';
import { pathOf } from './routes.js';
import { numbers, table } from './tables.js';

const ROWS = 40, BLOCK = 1024, LINKS = 8; // bars; ranks of one picture; links of a workload
const KEYS = [null, 'compute_ps', 'send_ps', 'receive_ps', 'wait_ps', 'collective_ps'];
const ns = (ps) => ps / 1000;
const workload = (c) => c.steps[0].workload;
const hasRanks = (c) => workload(c)?.ranks?.length > 0;
const hostName = (data, c, host) => { const { drawing } = data.fabrics[c.fabric]; return drawing ? shortNames(drawing)[drawing.switches + host] : `host ${host}`; };
const kindsOf = (all) => [1, 2, 3, 4, 5].filter((kind) => all.some((c) => workload(c).ranks.some((r) => r[KEYS[kind]] > 0)));

// ---- mean over the ranks, a bar per run

function meanTimes(data, all, nameOf) {
  const kinds = kindsOf(all), keys = callKeys(kinds);
  const meanOf = (c, key) => ns(workload(c).ranks.reduce((sum, r) => sum + r[key], 0) / workload(c).ranks.length);
  const rows = all.map((c) => {
    let at = 0;
    const parts = kinds.map((kind) => { const from = at; at += meanOf(c, KEYS[kind]); return { from, to: at, colour: keys[kinds.indexOf(kind)][1], title: `${CALLS[kind][0]}: ${time(at - from)}` }; });
    return { name: nameOf(c), title: c.label, value: [el('strong', {}, time(at))], parts };
  });
  const columns = [{ key: 'workload', name: 'workload', text: (r) => r.short, whole: (r) => r.workload }, { key: 'rank', name: 'rank', number: true }, { key: 'host', name: 'host' }, { key: 'end_ns', name: 'end', number: true, text: (r) => time(r.end_ns) },
    ...kinds.map((kind) => ({ key: KEYS[kind].replace('_ps', '_ns'), name: CALLS[kind][0], number: true, text: (r) => time(r[KEYS[kind].replace('_ps', '_ns')]) }))];
  const lines = () => all.flatMap((c) => workload(c).ranks.map((r) => ({ workload: c.label, short: nameOf(c), rank: r.rank, host: hostName(data, c, r.host), end_ns: ns(r.end_ps), ...Object.fromEntries(kinds.map((kind) => [KEYS[kind].replace('_ps', '_ns'), ns(r[KEYS[kind]])])) })));
  const max = rows.reduce((most, r) => Math.max(most, r.parts.at(-1)?.to ?? 0), 0);
  const chart = bars({ label: 'What ranks did, on average', axis: 'time of the mean rank', format: shortTime, max, rows: rows.slice(0, ROWS) }, keys);
  return el('div', { class: 'card', id: 'ranks' }, el('h3', {}, 'What the ranks did'),
    el('p', { class: 'quiet' }, 'Mean over the ranks. A call lasts from the end of the one before; posting a send or receive that does not block takes no time. Of traces without calls (GOAL, Chakra, message lists), a rank is in the first of computing, a collective operation, a send, a receive that is in progress.'),
    barKeys(keys), chart.node, numbers('ranks', () => ({ columns, rows: lines() }), null, chart.save));
}

// ---- time lines

function linesView(data, all, nameOf) {
  const of = all.filter((c) => workload(c).timeline);
  if (!of.length) return null;
  const lines = timeLines('Time lines of the ranks');
  const most = of.reduce((n, c) => Math.max(n, workload(c).ranks.length), 0), blocks = Array.from({ length: Math.ceil(most / BLOCK) }, (_, k) => k);
  const pick = choose('workload', 'lines.of', of.map((c, k) => [k, nameOf(c), c.label]), 0, () => show());
  const block = choose('ranks', 'lines.ranks', blocks.map((k) => [k, `${count(k * BLOCK)} to ${count(Math.min(most, (k + 1) * BLOCK) - 1)}`]), 0, () => show());
  const note = el('p', { class: 'quiet' });
  const last = (line) => line.at(-1) ?? 0;
  // All workloads over the same time: their pictures can be compared.
  const end_ps = of.reduce((end, c) => workload(c).timeline.reduce((t, line) => Math.max(t, last(line)), end), 1);
  function show() {
    const c = of[pick.value], w = workload(c), first = block.value * BLOCK;
    const rows = w.ranks.slice(first, first + BLOCK).map((r, k) => ({ name: `rank ${r.rank}`, title: `rank ${r.rank} on ${hostName(data, c, r.host)}`, line: w.timeline[first + k] }));
    lines.show({ rows, end_ps });
    const fullest = w.timeline.reduce((n, line) => Math.max(n, line.length / 2), 0), share = Math.min(512, Math.max(4, Math.floor(65536 / w.ranks.length)));
    note.textContent = `${fullest >= share / 2 ? `Where a rank changes more than ${share} times, each of ${share} equal parts of its time shows what took most of it. ` : ''}${of.length < all.length ? `The first ${of.length} workloads; ikat report --csv --table timeline has all.` : ''}`;
  }
  show();
  return el('div', { class: 'card', id: 'time-lines' }, el('h3', {}, 'Time lines of the ranks'),
    (of.length > 1 || blocks.length > 1) && el('div', { class: 'controls' }, of.length > 1 && pick.node, blocks.length > 1 && block.node), lines.node, note);
}

// ---- messages from rank to rank

function matrixView(data, all, nameOf) {
  const of = all.filter((c) => workload(c).matrix);
  // Runs of one program have one matrix.
  const seen = new Map();
  for (const c of of) { const text = JSON.stringify(workload(c).matrix); if (!seen.has(text)) seen.set(text, c); }
  const different = [...seen.values()];
  if (!different.length) return null;
  const map = matrix('Messages from rank to rank');
  const pick = choose('workload', 'matrix.of', different.map((c, k) => [k, nameOf(c), c.label]), 0, () => show());
  const what = choose('colours', 'matrix.what', [['bytes', 'bytes'], ['messages', 'messages']], 'bytes', () => show());
  const rowsOf = (c) => workload(c).matrix.rows.map(([from, to, messages, bytes]) => ({ from, to, messages, bytes }));
  const note = el('p', { class: 'quiet' });
  function show() {
    const c = different[pick.value], { block } = workload(c).matrix, num = Math.ceil(workload(c).ranks.length / block), key = what.value;
    const rows = rowsOf(c), most = rows.reduce((m, r) => Math.max(m, r[key]), 0), at = new Map(rows.map((r) => [(r.from / block) * num + r.to / block, r]));
    const ranks = (k) => (block === 1 ? `rank ${k}` : `ranks ${count(k * block)} to ${count(Math.min(workload(c).ranks.length, (k + 1) * block) - 1)}`);
    const unit = (x) => (key === 'bytes' ? `${count(x)} B` : plural(x, 'message'));
    map.show({ num, names: Array.from({ length: num }, (_, k) => String(k * block)), from: 'from', to: 'to rank', high: unit(most), cells: rows.map((r) => [r.from / block, r.to / block, most > 0 ? r[key] / most : 0]),
      tell: (row, column) => { const r = at.get(row * num + column); return `${ranks(row)} to ${ranks(column)}: ${r ? `${plural(r.messages, 'message')}, ${count(r.bytes)} B` : 'nothing'}`; } });
    const sum = rows.reduce((a, r) => [a[0] + r.messages, a[1] + r.bytes], [0, 0]);
    note.textContent = `${plural(sum[0], 'message')} of ${count(sum[1])} B between ${count(rows.length)} pairs${block > 1 ? ` of groups of ${block} ranks` : ''}, those of collective operations among them.`;
  }
  show();
  const lines = numbers('matrix', () => ({
    columns: [{ key: 'workload', name: 'workload', text: (r) => r.short, whole: (r) => r.workload }, { key: 'from', name: 'from rank', number: true }, { key: 'to', name: 'to rank', number: true }, { key: 'messages', name: 'messages', number: true, text: (r) => count(r.messages) }, { key: 'bytes', name: 'bytes', number: true, text: (r) => count(r.bytes) }],
    rows: different.flatMap((c) => rowsOf(c).map((r) => ({ ...r, workload: c.label, short: nameOf(c) }))) }));
  return el('div', { class: 'card', id: 'matrix' }, el('h3', {}, 'Messages from rank to rank'),
    el('div', { class: 'controls' }, different.length > 1 && pick.node, what.node), map.node, note, lines);
}

// ---- links of the critical path

// What the path's messages waited in the network, at the links between switches that they crossed. A message is counted at each.
function waitsOf(data, c) {
  const { drawing } = data.fabrics[c.fabric], links = new Map();
  if (!drawing) return [];
  const inner = new Set(drawing.links.flatMap(([ch, a, , o, b]) => (a < drawing.switches && b < drawing.switches ? [ch, o] : [])));
  for (const s of workload(c)?.critical_path.segments ?? []) {
    if (s.kind !== 'network' || s.peer === null || s.end_ps === s.begin_ps) continue;
    const path = pathOf(data, c, s.host, s.peer);
    for (const ch of path.channels ?? []) {
      if (!inner.has(ch)) continue;
      const link = links.get(ch) ?? { channel: ch, messages: 0, waited_ns: 0, several: false };
      link.messages++;
      link.waited_ns += ns(s.end_ps - s.begin_ps);
      link.several ||= !path.single;
      links.set(ch, link);
    }
  }
  return [...links.values()].sort((a, b) => b.waited_ns - a.waited_ns || a.channel - b.channel);
}

export function waitedLinks(data, all, nameOf) {
  const known = new Map();
  const nameOfChannel = (c, ch) => {
    const { drawing } = data.fabrics[c.fabric];
    if (!known.has(drawing)) known.set(drawing, channelNames(drawing));
    return known.get(drawing).get(ch) ?? `channel ${ch}`;
  };
  const rows = all.slice(0, ROWS).flatMap((c) => waitsOf(data, c).slice(0, LINKS).map((l) => ({ ...l, workload: c.label, short: nameOf(c), link: nameOfChannel(c, l.channel), utilisation: c.steps[0].utilisation?.[l.channel] ?? null })));
  if (!rows.length) return null;
  const several = rows.some((r) => r.several);
  const columns = [{ key: 'workload', name: 'workload', text: (r) => r.short, whole: (r) => r.workload }, { key: 'link', name: 'link', class: () => 'wrap' }, { key: 'messages', name: 'messages of the path', number: true },
    { key: 'waited_ns', name: 'they waited in the network', number: true, text: (r) => time(r.waited_ns) }, { key: 'utilisation', name: 'utilisation of the link', number: true, text: (r) => (r.utilisation === null ? '–' : percent(r.utilisation)) }];
  return el('div', { class: 'card', id: 'waited-links' }, el('h3', {}, 'Links of the critical path where it waited in the network'),
    el('p', { class: 'quiet' }, `Links between switches on the path of those messages that waited in the network. The time is that of the messages: one that crosses several links counts at each.${several ? ' Messages that may take several paths count at all of them.' : ''}`),
    table('waited-links', columns, rows, { limit: 4 * LINKS }));
}

// ---- all

export function ranksView(data, all, nameOf) {
  const of = all.filter(hasRanks);
  return [of.length > 0 && meanTimes(data, of, nameOf), of.length > 0 && linesView(data, of, nameOf), of.length > 0 && matrixView(data, of, nameOf)].filter(Boolean);
}
