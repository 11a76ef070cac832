// SPDX-License-Identifier: Apache-2.0
// Congestion: roots and what hangs below them, over time and summed up; culprits, victims, fairness, classes of the traffic.
import { choose, el } from './dom.js';
import { atLoad, count, loadText, mean, moment, percent, plural, shortTime, time } from './format.js';
import { channelNames, shortNames } from './names.js';
import { plot } from './plots.js';
import * as state from './state.js';
import { csvButton, csvOf, numbers, table } from './tables.js';
import { timeMap } from './timemap.js';

const LANES = 16; // roots in the picture over time

// Roots of one period: channel → blocked buffers and adapters.
export function rootsAt(series, t) {
  return new Map((series?.trees ?? []).filter((tree) => tree[0] === t).map(([, channel, buffers, hosts]) => [channel, buffers + hosts]));
}

const blocked = (n) => (n === 1 ? '1 buffer or host blocked' : `${count(n)} buffers and hosts blocked`);

// Rows are roots; the colour says how large the tree is.
function rootMap() {
  const map = timeMap('Size of the tree below each root over time', () => 22);
  const show = (step, full, short) => {
    const { samples, period_ps, roots, all_roots } = step.congestion, rows = roots.slice(0, LANES);
    const name = (row, names) => names.get(rows[row].channel) ?? `channel ${rows[row].channel}`;
    const cells = new Map(), key = (channel, t) => channel * samples + t;
    let most = 1;
    for (const [t, channel, buffers, hosts] of step.congestion_series.trees) {
      cells.set(key(channel, t), buffers + hosts);
      most = Math.max(most, buffers + hosts);
    }
    const size = (row, t) => cells.get(key(rows[row].channel, t)) ?? 0;
    map.show({
      rows: rows.map((_, row) => name(row, short)), full: rows.map((_, row) => name(row, full)), periods: samples, period_ps, high: blocked(most),
      shade: (row, t) => size(row, t) / most,
      tell: (row, t) => `${name(row, full)} at ${moment(((t + 1) * period_ps) / 1000)}: ${blocked(size(row, t))}`,
      note: rows.length ? `${rows.length < all_roots ? `The ${rows.length} of ${count(all_roots)} roots that blocked most. ` : ''}For each period, the ${LANES} largest trees are kept.` : 'No output had blocked buffers behind it.',
    });
  };
  return { node: map.node, show };
}

const share = (part, whole) => part.map((x, t) => (whole[t] > 0 ? x / whole[t] : 0));

export function congestionView(data) {
  const usable = data.curves.map((c, i) => [i, c]).filter(([, c]) => c.steps.some((s) => s.congestion));
  if (!usable.length) return null;
  const worst = usable.reduce((a, b) => ((b[1].steps.at(-1).congestion?.roots[0]?.blocked ?? 0) > (a[1].steps.at(-1).congestion?.roots[0]?.blocked ?? 0) ? b : a));
  const pick = choose('routing and traffic', 'congestion.curve', usable.map(([i, c]) => [i, data.nameOf(c), c.label]), worst[0], () => show());
  const last = data.curves[pick.value].steps.length - 1;
  let step = Math.floor(state.number('congestion.load', 0, last, last));
  const curve = () => data.curves[pick.value], at = () => curve().steps[step], series = () => at().congestion_series;
  const drawing = () => data.fabrics[curve().fabric].drawing;
  const nameOf = new Map();
  const named = () => {
    if (!nameOf.has(curve().fabric)) nameOf.set(curve().fabric, { full: channelNames(drawing()), short: channelNames(drawing(), shortNames(drawing())) });
    return nameOf.get(curve().fabric);
  };
  const names = () => named().full;
  const host = (h) => drawing().names[drawing().switches + h] ?? `host ${h}`;
  const shortHost = (h) => shortNames(drawing())[drawing().switches + h] ?? `host ${h}`;
  const when = (t) => ((t + 1) * at().congestion.period_ps) / 1000;
  const long = (samples) => (samples * at().congestion.period_ps) / 1000;
  const x = { name: 'time', format: shortTime, min: 0 };
  const line = (name, values, i) => ({ name, colour: i, symbol: i % 4, points: values.map((y, t) => ({ x: when(t), y })).filter((p) => p.y !== null) });
  const specs = [
    () => ({ title: 'Blocked buffers and hosts', label: `Blocked buffers and hosts over time, ${curve().label}`, x, y: { name: 'number blocked', format: count, min: 0, whole: true },
      lines: [line('buffers', series().buffers, 0), line('hosts', series().hosts, 1), ...(series().cyclic.some((n) => n) ? [line('in cycles', series().cyclic, 2)] : [])] }),
    () => ({ title: 'Roots', label: `Congestion roots over time, ${curve().label}`, x, y: { name: 'number of roots', format: count, min: 0, whole: true }, lines: [line('roots', series().roots, 3)] }),
    () => ({ title: 'Head-of-line blocking', label: `Head-of-line blocking over time, ${curve().label}`, x, y: { name: 'share of waiting bytes', format: (v) => `${+(100 * v).toFixed(1)} %`, min: 0 },
      lines: [line('waiting bytes behind a blocked head', share(series().hol_bytes, series().bytes), 4)] }),
    () => ({ title: 'Fairness between hosts', label: `Fairness over time, ${curve().label}`, x, y: { name: 'Jain’s index', format: (v) => v.toFixed(2), min: 0, max: 1 }, lines: [line('fairness', series().fairness, 5)] }),
  ];
  const plots = specs.map((s) => plot(s(), 220));
  const classSpecs = [
    () => ({ title: 'Throughput of each class', label: `Throughput of classes over time, ${curve().label}`, x, y: { name: 'accepted', format: (v) => `${+(100 * v).toFixed(1)} %`, min: 0 }, lines: series().classes.map((c, i) => line(c.name, c.throughput, i)) }),
    () => ({ title: 'Latency of each class', label: `Latency of classes over time, ${curve().label}`, x, y: { name: 'mean latency', format: shortTime, min: 0 }, lines: series().classes.map((c, i) => line(c.name, c.latency_mean_ns, i)) }),
  ];
  const anyClasses = data.curves.some((c) => c.steps.some((s) => s.classes));
  const classPlots = anyClasses ? classSpecs.map((s) => plot({ ...s(), lines: [] }, 220)) : [];
  const roots = rootMap();
  const facts = el('p', {});
  const holder = el('div', { class: 'block' });
  const classHolder = el('div', { class: 'block' });
  const label = el('output', {});
  const overTime = numbers('congestion-over-time', () => ({
    columns: [{ key: 'time_ns', name: 'time', number: true, text: (r) => moment(r.time_ns) }, ...[['roots', 'roots'], ['buffers', 'buffers blocked'], ['hosts', 'hosts blocked'], ['cyclic', 'in cycles'], ['bytes', 'bytes waiting'], ['hol_bytes', 'bytes behind a blocked head']].map(([key, name]) => ({ key, name, number: true, text: (r) => count(r[key]) })),
      { key: 'fairness', name: 'fairness', number: true, text: (r) => (r.fairness === null ? '–' : r.fairness.toFixed(4)) }, { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) }, { key: 'curve', csv: true }],
    rows: series().roots.map((n, t) => ({ time_ns: when(t), roots: n, buffers: series().buffers[t], hosts: series().hosts[t], cyclic: series().cyclic[t], bytes: series().bytes[t], hol_bytes: series().hol_bytes[t],
      fairness: series().fairness[t], load: at().load, curve: curve().label })),
  }));
  const trees = numbers('congestion-trees', () => ({
    columns: [{ key: 'time_ns', name: 'time', number: true, text: (r) => moment(r.time_ns) }, { key: 'root', name: 'root', text: (r) => r.short, whole: (r) => r.root }, { key: 'channel', name: 'channel', number: true }, { key: 'buffers', name: 'buffers', number: true },
      { key: 'hosts', name: 'hosts', number: true }, { key: 'depth', name: 'depth', number: true }],
    rows: series().trees.map(([t, channel, buffers, hosts, depth]) => ({ time_ns: when(t), root: names().get(channel), short: named().short.get(channel), channel, buffers, hosts, depth })),
  }));

  const withCsv = (name, title, columns, rows) => [el('h3', {}, title), rows.length ? table(name, columns, rows, { limit: 64 }) : [el('p', { class: 'quiet' }, 'None.'), csvButton(name, () => csvOf(columns, rows))]].flat();
  function rootTable() {
    const columns = [{ key: 'root', name: 'root (oversubscribed channel)', text: (r) => r.short, whole: (r) => r.root }, { key: 'duration_ns', name: 'for', number: true, text: (r) => moment(r.duration_ns) }, { key: 'first_ns', name: 'from', number: true, text: (r) => moment(r.first_ns) },
      { key: 'last_ns', name: 'to', number: true, text: (r) => moment(r.last_ns) }, { key: 'buffers', name: 'buffers', number: true }, { key: 'hosts', name: 'hosts', number: true }, { key: 'depth', name: 'depth', number: true },
      { key: 'mean', name: 'mean tree', number: true, text: (r) => r.mean.toFixed(1) }];
    const rows = at().congestion.roots.map((r) => ({ ...r, root: names().get(r.channel) ?? `channel ${r.channel}`, short: named().short.get(r.channel) ?? `channel ${r.channel}`, duration_ns: long(r.samples), first_ns: when(r.first), last_ns: when(r.last), mean: r.blocked / r.samples }));
    return withCsv('congestion-roots', 'Roots', columns, rows);
  }
  function flowTable(key, title) {
    const columns = [{ key: 'src', csv: true }, { key: 'source', name: 'source', text: (r) => shortHost(r.src), whole: (r) => r.source }, { key: 'dst', csv: true }, { key: 'destination', name: 'destination', text: (r) => shortHost(r.dst), whole: (r) => r.destination },
      { key: 'packet_ns', name: 'packet time', number: true, text: (r) => time(r.packet_ns) }];
    const rows = at().congestion[key].map((f) => ({ ...f, source: host(f.src), destination: host(f.dst), packet_ns: long(f.packets) }));
    return el('div', {}, withCsv(key, title, columns, rows));
  }
  function classTable() {
    if (!at().classes) return [];
    const columns = [{ key: 'name', name: 'class' }, { key: 'offered', name: 'offered', number: true, text: (r) => percent(r.offered) }, { key: 'throughput', name: 'accepted', number: true, text: (r) => percent(r.throughput) },
      ...[['latency_mean_ns', 'mean latency'], ['latency_p50_ns', 'median'], ['latency_p95_ns', '95th percentile'], ['latency_p99_ns', '99th percentile'], ['latency_max_ns', 'maximum'], ['culprit_time_ns', 'held as culprit'], ['victim_time_ns', 'held as victim']]
        .map(([key, name]) => ({ key, name, number: true, text: (r) => time(r[key]) })),
      { key: 'packets_delivered', name: 'packets', number: true, text: (r) => count(r.packets_delivered) }];
    return withCsv('classes', 'Classes of the traffic', columns, at().classes);
  }
  const slider = el('input', { type: 'range', min: 0, step: 1, 'aria-label': 'load', oninput: (e) => { step = +e.target.value; state.set('congestion.load', step, last); show(); } });
  function show() {
    slider.max = curve().steps.length - 1;
    slider.hidden = curve().steps.length < 2;
    step = Math.min(step, curve().steps.length - 1);
    slider.value = step;
    const s = at(), c = s.congestion;
    label.textContent = atLoad(s.load);
    facts.textContent = `${percent(s.blocked_share)} of the buffers were blocked, ${percent(s.hol_share)} of the waiting bytes waited only for the head of their queue (${time(s.hol_time_ns)} per delivered packet); `
      + `${s.congestion_roots.toFixed(1)} roots at a time, the largest tree held ${mean(s.congestion_tree)} buffers and hosts. Fairness ${s.fairness.toFixed(3)} (Jain): hosts sent ${percent(s.host_sent_min)} to ${percent(s.host_sent_max)} of their rate, and ${percent(s.throughput)} of the rate of all was accepted by the destinations.`;
    plots.forEach((p, i) => p.update(specs[i]()));
    classPlots.forEach((p, i) => { p.node.parentElement.hidden = !series().classes.length; p.update(classSpecs[i]()); });
    roots.show(s, names(), named().short);
    holder.replaceChildren(...rootTable(), el('div', { class: 'tables2' }, flowTable('culprits', `Culprits: ${plural(c.all_culprits, 'flow')} to a root`), flowTable('victims', `Victims: ${plural(c.all_victims, 'flow')} delayed on the way to other destinations`)),
      el('p', { class: 'quiet' }, `${c.stride > 1 ? `Packets of one in up to ${c.stride} buffers were sampled, in turn, and counted this many times. ` : ''}${c.flow_error ? `The count of a flow may be up to ${plural(c.flow_error, 'packet')} too low. ` : ''}`));
    classHolder.replaceChildren(...classTable());
    overTime.refresh();
    trees.refresh();
  }
  const node = el('section', { id: 'congestion' }, el('h2', {}, 'Congestion'),
    el('p', { class: 'quiet' }, 'Sampled at the end of each period of the series, for the first seed of each point. A buffer is blocked while its first packet lacks credit; following what it waits for leads to a root, an oversubscribed channel. Totals are of the measured window.'),
    el('div', { class: 'card' }, el('div', { class: 'controls' }, pick.node, el('label', { class: 'control' }, el('span', {}, 'load'), slider, label)), facts,
      el('div', { class: 'grid2' }, plots.map((p) => p.node)), overTime, el('h3', {}, 'Roots over time'), roots.node, trees, holder,
      classPlots.length ? el('div', { class: 'grid2' }, classPlots.map((p) => el('div', {}, p.node))) : null, classHolder));
  show();
  return node;
}
