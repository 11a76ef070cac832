// SPDX-License-Identifier: Apache-2.0
// The page of `ikat design`: which networks fulfil a wish, what they cost and do, and where each figure comes from.
import { barKeys, bars } from './bars.js';
import { brief, figuresOf, list, nameWithKind, performanceOf, shown, wishText } from './designfigures.js';
import { card, choose, el, slug } from './dom.js';
import { floorPlans } from './floorplans.js';
import { count, loadText, percent, plural, shortTime, time } from './format.js';
import { frontOf, glyph, near, pareto } from './pareto.js';
import { comparisonTable } from './comparison.js';
import * as state from './state.js';
import { svg } from './svg.js';
import { numbers, table } from './tables.js';
import { NUM_COLOURS, onTheme, seriesColour, toggleTheme } from './theme.js';

const MOST_SAID = 4; // designs that a sentence names

const section = (id, title, ...children) => el('section', { id }, el('h2', {}, title), ...children);
const quiet = (...text) => el('p', { class: 'quiet' }, ...text);
const firstBig = (text) => text[0].toUpperCase() + text.slice(1);

// ---- header and summary

// What a shell takes as one word.
const word = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function header(data, version) {
  const { hosts, radix, rails } = data.wish;
  return el('header', {}, el('div', { class: 'top' },
    el('div', {}, el('h1', {}, `Networks for ${plural(hosts, 'host')}`), el('div', { class: 'meta' }, [`ikat ${version}`, `switches of ${radix} ports`, rails > 1 && `${rails} rails`].filter(Boolean).join('  ·  '))),
    el('button', { type: 'button', onclick: toggleTheme, 'aria-label': 'switch between light and dark' }, 'Light / dark')),
  data.command.length > 0 && el('p', {}, el('span', { class: 'command' }, data.command.map(word).join(' '))));
}

// What the last of the front costs more than the first, and what it gives for that. y: the cost per host. '': a part of nothing cannot be said.
function gainText(front, x, y) {
  const [first, last] = [front[0], front.at(-1)], more = y.value(last) / y.value(first) - 1, ratio = x.value(last) / x.value(first);
  if (near(y.value(first), y.value(last)) && near(x.value(first), x.value(last))) return 'They are equal in both.';
  if (!Number.isFinite(more) || !Number.isFinite(ratio)) return '';
  const gain = x.better < 0 ? `${percent(1 - ratio)} less time` : ratio > 10 ? `${ratio.toFixed(0)} times the load` : `${percent(ratio - 1)} more load`;
  return `Compared with ${first.series}, ${last.series} costs ${percent(more)} more per host and ${x.better < 0 ? 'needs' : 'carries'} ${gain}.`;
}

// Which are not beaten, cheapest first, and what the best of them costs beyond the cheapest.
function frontText(data, front, x, y) {
  const names = front.slice(0, MOST_SAID).map((m) => `${m.series} (${shown(y, m)} ${data.currency} per host, ${shown(x, m)})`), more = front.length > MOST_SAID ? [`${front.length - MOST_SAID} more`] : [];
  if (!front.length) return 'No design has both figures.';
  const unknown = data.members.filter((m) => !Number.isFinite(x.value(m))), without = unknown.length ? ` Not judged, because ${x.says} is not known: ${list(unknown.map((m) => m.series))}.` : '';
  if (front.length === 1) return `By ${y.says} and ${x.says}, one design is at least as good in both as every other one: ${names[0]}.${without}`;
  return `By ${y.says} and ${x.says}, ${front.length} designs are not beaten, which means that no other one is at least as good in both and better in one: ${list([...names, ...more])}. ${gainText(front, x, y)}${without}`.replace('  ', ' ').trim();
}

function proofText(data) {
  const built = data.members.filter((m) => m.proved !== null), failed = built.filter((m) => !m.proved);
  if (!built.length) return 'No network was built, because so many hosts are not built or did not fit the memory limit: only sizes and costs are known.';
  const part = built.length < data.members.length ? ` ${plural(data.members.length - built.length, 'member')} did not fit the memory limit: only sizes and costs are known of them.` : '';
  const damaged = data.members.filter((m) => m.failures.some((f) => !f.proved || f.refused));
  const left = data.shares.length && built.length ? (damaged.length ? ` Not every damaged network of ${list(damaged.map((m) => m.series))} is routed and proved: see Failures.` : ' Every routing of the damaged networks was proved, too.') : '';
  return (failed.length ? `NOT PROVED is the routing of ${list(failed.map((m) => m.series))}.` : 'Every routing that is shown was proved to deliver between all pairs of hosts, without loops and deadlocks.') + left + part;
}

function summary(data, figures, measures) {
  const y = figures[0], x = measures[0], all = data.members.length + data.infeasible.length, cheapest = data.members[0];
  return section('summary', 'Summary', card(el('p', { class: 'wish' }, wishText(data)),
    el('p', { class: 'wish' }, `${firstBig(`${data.members.length} of ${plural(all, 'family').replace('familys', 'families')} ${data.members.length === 1 ? 'has' : 'have'} a member that fits. `)}`,
      x ? frontText(data, frontOf(data.members, x, y), x, y) : `The cheapest is ${cheapest.series}, with ${shown(y, cheapest)} ${data.currency} per host.`),
    el('p', { class: 'wish' }, proofText(data))));
}

// ---- the picture, with the key by which families are left out

// Buttons that leave a family out of what follows; hidden: a Set of keys.
function familyKeys(rows, hidden, onchange) {
  const node = el('div', { class: 'keys', role: 'group', 'aria-label': 'families that are shown' });
  const fill = () => node.replaceChildren(...rows.map((m) => {
    const mark = svg('svg', { width: 16, height: 14, viewBox: '-8 -7 16 14', 'aria-hidden': 'true' }, glyph(m.look));
    return el('button', { type: 'button', class: hidden.has(m.key) ? 'key off' : 'key', 'aria-pressed': String(!hidden.has(m.key)), 'data-family': m.key, onclick: () => {
      if (hidden.has(m.key)) hidden.delete(m.key); else hidden.add(m.key);
      state.set('hide', [...hidden].join(' '));
      fill();
      [...node.children].find((b) => b.dataset.family === m.key)?.focus();
      onchange();
    } }, mark, m.series);
  }));
  fill();
  onTheme(fill);
  return node;
}

function tradeOff(data, figures, measures, page) {
  if (!measures.length) return null;
  const ys = figures.filter((f) => ['cost_per_host', 'watts_per_host', 'switches', 'cables', 'switch_cables'].includes(f.key));
  const by = (key) => figures.find((f) => f.key === key), text = el('p', { class: 'front-text' });
  const px = choose('performance', 'x', measures.map((f) => [f.key, nameWithKind(f), f.how]), measures[0].key, () => again());
  const py = choose('against', 'y', ys.map((f) => [f.key, f.name, f.how]), ys[0].key, () => again());
  const spec = () => ({ label: `${by(py.value).name} over ${by(px.value).name}`, x: by(px.value), y: by(py.value), rows: page.rows(), chosen: page.chosen, choose: page.choose,
    tell: (m) => [...new Set([figures[0], by(py.value), by(px.value), ...figures.filter((f) => ['watts_per_host', 'saturation.0', 'saturation.1', 'switches', 'cables'].includes(f.key))])].map((f) => `${f.name}: ${shown(f, m)}`) });
  const picture = pareto(spec());
  const again = () => { picture.update(spec()); text.textContent = `Not beaten in both: ${frontOf(page.rows(), by(px.value), by(py.value)).map((m) => m.series).join(', ') || 'none has both figures'}.`; };
  page.onChange(again);
  again();
  return section('trade-off', 'Cost and performance', card(el('div', { class: 'controls' }, px.node, py.node),
    familyKeys(data.members, page.hidden, page.changed), text, picture.node,
    el('div', { class: 'plot-head' }, quiet('On the line: not beaten by another design. Shaded: beaten. A dotted ring: chosen for the comparison. Choose a mark to compare it; a name in the key leaves a family out of this page.'), picture.save)),
  card(el('h3', {}, 'Not beaten, by each measure'), quiet(`For each measure, the designs that no other one beats in ${figures[0].says} and this measure together; the cheapest first.`), notBeaten(data, figures, measures, page)));
}

// For every measure of performance: who is best, and who is not beaten.
function notBeaten(data, figures, measures, page) {
  const columns = [{ key: 'measure', name: 'measure', whole: (r) => r.pattern, class: () => 'wrap' }, { key: 'kind', name: 'obtained' }, { key: 'best', name: 'best value', number: true }, { key: 'front', name: 'not beaten, with what they have of it', class: () => 'wrap' }];
  const rows = () => measures.map((f) => {
    const front = frontOf(page.rows(), f, figures[0]);
    return { measure: f.name, pattern: f.whole, kind: f.kind, best: front.length ? shown(f, front.at(-1)) : '–', front: front.map((m) => `${m.series} (${shown(f, m)})`).join('; ') || '–' };
  });
  const made = table('not-beaten', columns, rows());
  page.onChange(() => made.update(columns, rows()));
  return made;
}

// ---- all designs

// Boxes to tick are made again when a choice has changed: the one that had the focus gets it back.
function keepFocus(node, fill) {
  const held = node.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  fill();
  if (held) [...node.querySelectorAll('input[type=checkbox]')].find((b) => b.dataset.key === held)?.focus();
}

const statusOf = (m) => (m.proved === null ? 'not built' : m.proved ? 'yes' : 'NOT PROVED');

function allDesigns(data, figures, page) {
  const box = (m) => el('span', {}, el('input', { type: 'checkbox', 'aria-label': `compare ${m.series}`, 'data-key': m.key, checked: page.chosen.has(m.key), onchange: () => page.choose(m.key) }), el('span', { class: 'printed' }, page.chosen.has(m.key) ? 'yes' : 'no'));
  const columns = [
    { key: 'series', name: 'design', class: () => 'nowrap' }, { key: 'compared', name: 'compare', text: box, order: (m) => (page.chosen.has(m.key) ? 0 : 1) },
    ...figures.map((f) => ({ key: f.key, name: f.name, kind: f.kind, title: f.how, number: true, csv: !f.main, text: (m) => shown(f, m) })),
    { key: 'proof', name: 'routing proved', kind: 'proved', title: 'Delivery, and freedom of loops and deadlocks, for all pairs of hosts.', text: statusOf, order: statusOf, class: (m) => (m.proved === false ? 'no' : '') },
    { key: 'routing', name: 'routing' }, { key: 'vc', name: 'VC scheme', text: (m) => m.vc ?? '–' },
    { key: 'spec', name: data.wish.rails > 1 ? 'fabric of one rail' : 'fabric', class: () => 'wrap spec' }, data.wish.rails > 1 && { key: 'whole_spec', name: 'fabric of all rails', text: (m) => m.whole_spec ?? '–', class: () => 'wrap spec' },
  ].filter(Boolean);
  const rows = () => page.rows().map((m) => ({ ...m, ...Object.fromEntries(figures.map((f) => [f.key, f.value(m) ?? null])), proof: statusOf(m), compared: page.chosen.has(m.key) ? 'yes' : 'no' }));
  const made = table('designs', columns, rows());
  page.onChange(() => keepFocus(made, () => made.update(columns, rows())));
  return section('designs', 'All designs', quiet(`The cheapest first; a column's name sorts. Below it stands how its figures were obtained: point at it, or see Where the figures come from.${data.wish.rails > 1 ? ' Sizes, costs and power are of all rails; all else is of one.' : ''} Every design has exactly the wished hosts.`), card(made));
}

function comparison(data, figures, page) {
  const texts = [['routing proved', statusOf], ['routing', (m) => m.routing], ['VC scheme', (m) => m.vc ?? '–'], ['fabric', (m) => m.spec]];
  const made = comparisonTable(figures, texts), choices = el('div', { class: 'choices', role: 'group', 'aria-label': 'designs to compare' });
  const fill = () => {
    keepFocus(choices, () => choices.replaceChildren(...page.rows().map((m) => el('label', { class: 'choice' }, el('input', { type: 'checkbox', 'data-key': m.key, checked: page.chosen.has(m.key), onchange: () => page.choose(m.key) }), el('span', {}, m.series)))));
    made.update(page.rows().filter((m) => page.chosen.has(m.key)));
  };
  fill();
  page.onChange(fill);
  return section('compare', 'Comparison', card(choices, made.node));
}

// ---- costs

const PARTS = [['cost_switches', 'switches', 'switch', 0], ['cost_adapters', 'adapters (ports of hosts)', 'adapter', 1], ['cost_copper_cables', 'copper cables', 'copper cable', 2], ['cost_optical_cables', 'optical cables', 'optical cable', 4]];
const unitsOf = (m) => { const hosts = m.cables - m.switch_cables; return { switch: m.switches, adapter: hosts, 'copper cable': m.floor?.copper_cables ?? hosts, 'optical cable': m.floor?.optical_cables ?? m.switch_cables }; };

// Bars of four parts; value(m, part) is per host.
function stacked(label, axis, page, value, format) {
  const spec = () => {
    const rows = page.rows().map((m) => {
      let from = 0;
      const parts = PARTS.map(([key, name, part, colour]) => { const more = value(m, key, part), made = { from, to: from + more, colour: () => seriesColour(colour), title: `${name}: ${format(more)}` }; from += more; return made; });
      return { name: m.series, title: m.spec, value: el('strong', {}, format(from)), parts };
    });
    return { label, axis, format, max: Math.max(0, ...rows.map((r) => r.parts.at(-1).to)), rows };
  };
  const made = bars(spec(), PARTS.map(([, name, , colour]) => [name, () => seriesColour(colour)]));
  page.onChange(() => made.update(spec()));
  return made;
}

function costs(data, figures, page) {
  const whole = (x) => count(Math.round(x)), unit = Object.fromEntries(data.parts.map((p) => [p.part, p]));
  const cost = stacked('Cost per host', `${data.currency} per host`, page, (m, key) => m[key] / m.hosts, whole);
  const power = stacked('Power per host', 'watts per host', page, (m, key, part) => (unitsOf(m)[part] * unit[part].watts) / m.hosts, (x) => count(+x.toFixed(1)));
  const of = figures.filter((f) => f.cost || f.key === 'cost_per_host');
  const source = () => ({ columns: [{ key: 'series', name: 'design', class: () => 'nowrap' }, ...of.map((f) => ({ key: f.key, name: f.name, kind: f.kind, title: f.how, number: true, text: (m) => shown(f, m) }))], rows: page.rows() });
  const behind = numbers('costs', source);
  page.onChange(() => behind.refresh());
  return section('costs', 'Costs and power', quiet(`What is bought, by switches, adapters and length of cables. ${data.floors ? 'Cables are copper as far as that reaches by the floor plans, and optical beyond.' : 'Nothing is known of where racks stand: cables of hosts are short (copper), all others long (optical).'} Racks, cooling, spare parts, licences and work are not in the sum.`),
    card(barKeys(PARTS.map(([, name, , colour]) => [name, () => seriesColour(colour)])), el('div', { class: 'plot-head' }, el('h3', {}, `Cost per host, ${data.currency}`), cost.save), cost.node, el('div', { class: 'plot-head' }, el('h3', {}, 'Power per host, W'), power.save), power.node, behind));
}

// ---- workloads and failures

const TIMES = [['at least (bound)', () => seriesColour(0)], ['more, phase by phase (estimate)', () => seriesColour(1)]];
function workloads(data, figures, page) {
  if (!data.workloads.length || !page.rows().some((m) => m.workloads.length)) return null;
  const charts = data.workloads.map((w, k) => {
    const spec = () => {
      const rows = page.rows().filter((m) => m.workloads[k]).map((m) => {
        const { at_least_ns: least, phases_ns: phases, simulated_ns: simulated } = m.workloads[k];
        if (phases === null) return { name: m.series, value: 'not known', none: true, parts: [] };
        return { name: m.series, title: m.spec, value: [el('strong', {}, time(phases)), simulated === null ? '' : ` simulated ${time(simulated)}`],
          parts: [{ from: 0, to: Math.min(least, phases), colour: () => seriesColour(0), title: `at least: ${time(least)}` }, { from: Math.min(least, phases), to: phases, colour: () => seriesColour(1), title: `by phases: ${time(phases)}` }] };
      });
      return { label: `Completion of ${brief(w)}`, axis: 'time until completion', format: shortTime, max: Math.max(0, ...page.rows().map((m) => m.workloads[k]?.phases_ns ?? 0)), rows };
    };
    const made = bars(spec(), TIMES), of = figures.filter((f) => f.workload === k);
    const source = () => ({ columns: [{ key: 'series', name: 'design', class: () => 'nowrap' }, ...of.map((f) => ({ key: f.key, name: f.short, kind: f.kind, title: f.how, number: true, text: (m) => shown(f, m) }))], rows: page.rows().map((m) => ({ ...m, ...Object.fromEntries(of.map((f) => [f.key, f.value(m) ?? null])) })) });
    const behind = numbers(`workload-${k}`, source, null, made.save);
    page.onChange(() => { made.update(spec()); behind.refresh(); });
    return card(el('h3', {}, w), barKeys(TIMES), made.node, behind);
  });
  return section('workloads', 'Workloads', quiet('How long each design takes at least, and phase after phase. Both count bytes alone, without headers, waiting in switches and computation.', data.wish.rails > 1 && ` Each of the ${data.wish.rails} rails carries an equal share of every message.`), charts);
}

function failures(data, page) {
  if (!data.shares.length || !data.members.some((m) => m.failures.length)) return null;
  const columns = [{ key: 'series', name: 'design', class: () => 'nowrap' }, { key: 'share', name: 'cables failed', kind: 'given', title: 'Share of the cables between switches.', number: true, text: (r) => loadText(r.share) }, { key: 'failed_cables', name: 'cables', kind: 'counted', title: 'Of each draw.', number: true, text: (r) => count(r.failed_cables) },
    { key: 'connected', name: 'pairs connected', kind: 'computed', title: 'Share of the pairs of hosts that some path connects: mean of the draws.', number: true, text: (r) => percent(r.connected, 4) }, { key: 'connected_least', name: 'least', kind: 'computed', title: 'The least of the draws.', number: true, text: (r) => percent(r.connected_least, 4) },
    { key: 'mean_hops', name: 'mean hops', kind: 'computed', title: 'Length of the shortest ways between connected pairs.', number: true, text: (r) => (r.mean_hops === null ? '–' : r.mean_hops.toFixed(2)) },
    { key: 'whole', name: 'uniform saturation, nothing failed', kind: 'predicted', title: 'Of the whole network.', number: true, text: (r) => percent(r.whole) }, { key: 'saturation', name: 'uniform saturation left', kind: 'predicted', title: 'Mean of the draws; pairs without a path send nothing.', number: true, text: (r) => percent(r.saturation) },
    { key: 'saturation_least', name: 'least', kind: 'predicted', title: 'The least of the draws.', number: true, text: (r) => percent(r.saturation_least) }, { key: 'vcs', name: 'VCs', kind: 'proved', title: 'Virtual channels with which freedom of deadlocks was proved: the most of the draws.', number: true, text: (r) => (r.vcs ? count(r.vcs) : '–') },
    { key: 'routed', name: 'rerouted by' }, { key: 'state', name: 'proved', kind: 'proved', class: (r) => (r.state === 'yes' ? '' : 'no') }];
  const rows = () => page.rows().flatMap((m) => m.failures.map((f) => ({ ...f, series: m.series, whole: m.saturation[0]?.load ?? null, routed: f.fell_back ? `${f.routing}, ${f.fallback}` : f.routing, state: f.refused ? `REFUSED: ${plural(f.refused, 'draw')}` : f.proved ? 'yes' : 'NOT PROVED' })));
  const made = table('failures', columns, rows());
  page.onChange(() => made.update(columns, rows()));
  return section('failures', 'Failures', quiet(`What is left when cables between switches fail: mean and least of ${plural(data.draws, 'random draw')}. The routing is made again for each damaged network and proved on it.${data.wish.rails > 1 ? ' Failures are those in one rail: a pair of hosts that it does not connect still has the others.' : ''}`), card(made));
}

// ---- sources, and what does not fit

function sources(data, figures) {
  const parts = [{ key: 'part', name: 'part' }, { key: 'price', name: `price, ${data.currency}`, number: true, text: (p) => count(+p.price.toFixed(2)) }, { key: 'watts', name: 'watts', number: true, text: (p) => count(+p.watts.toFixed(2)) },
    { key: 'row', name: 'by the row', text: (p) => (p.ports === null ? 'of this rate' : p.times > 1 ? `with ${p.ports} ports, in proportion to the ports` : `with ${p.ports} ports`) },
    { key: 'origin', name: 'source', class: () => 'wrap', text: (p) => (p.assumed ? 'a round number that ikat\'s authors assumed; no source' : `${data.prices}${p.source ? `: ${p.source}` : ', which names no source'}`) }];
  const how = [{ key: 'name', name: 'figure', class: () => 'wrap' }, { key: 'kind', name: 'obtained' }, { key: 'how', name: 'what it is', class: () => 'wrap' }];
  return section('sources', 'Where the figures come from', card(el('h3', {}, 'Prices'), table('prices', parts, data.parts)), card(el('h3', {}, 'Figures'), table('figures', how, figures)));
}

function misfits(data) {
  if (!data.infeasible.length) return null;
  const columns = [{ key: 'series', name: 'family', class: () => 'nowrap' }, { key: 'most_hosts', name: `most hosts with ${data.wish.radix} ports`, number: true, text: (r) => (r.most_hosts ? count(r.most_hosts) : 'none') }, { key: 'nearest', name: 'nearest member', class: () => 'wrap spec', text: (r) => r.nearest ?? '–' },
    { key: 'radix_needed', name: `ports needed for ${plural(data.wish.hosts, 'host')}`, number: true, text: (r) => (r.radix_needed === null ? 'more than 4,096' : count(r.radix_needed)) }, { key: 'reason', name: 'why', class: () => 'wrap', text: (r) => firstBig(`${r.reason}.`) }];
  return section('misfits', 'Families that do not fit', card(table('misfits', columns, data.infeasible)));
}

// ---- the page

// What the reader has chosen: families that are left out, designs that are compared.
function choices(data, figures, measures) {
  const keys = new Set(data.members.map((m) => m.key)), listeners = [], known = (k) => keys.has(k);
  const front = measures.length ? frontOf(data.members, measures[0], figures[0]) : [];
  const usual = [...new Set([...front, ...data.members])].slice(0, Math.max(2, Math.min(3, front.length))).map((m) => m.key).join(' ');
  const hidden = new Set(state.list('hide').filter(known)), chosen = new Set((state.get('compare') || usual).split(' ').filter(known));
  const changed = () => listeners.forEach((fn) => fn());
  return { hidden, chosen, changed, onChange: (fn) => listeners.push(fn), rows: () => data.members.filter((m) => !hidden.has(m.key)),
    choose(key) {
      if (chosen.has(key)) chosen.delete(key); else chosen.add(key);
      state.set('compare', [...chosen].join(' ') || 'none', usual);
      changed();
    } };
}

// Characters that change the direction of writing would show a sentence in another order: each becomes a mark.
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const clean = (value) => (typeof value === 'string' ? value.replace(TURNING, '\ufffd') : Array.isArray(value) ? value.map(clean)
  : value && typeof value === 'object' ? Object.fromEntries(Object.entries(value).map(([key, of]) => [key, clean(of)])) : value);

function prepare(data) {
  const used = new Set();
  data.members.forEach((m, i) => {
    const name = slug(m.series) || 'design';
    m.key = used.has(name) ? `${name}-${i}` : name;
    used.add(m.key);
    m.name = m.series;
    m.plan = data.floors?.[i] ?? null;
  });
  // A family looks the same whatever its place by cost is.
  [...data.members].sort((a, b) => (a.series < b.series ? -1 : 1)).forEach((m, i) => { m.look = { colour: i % NUM_COLOURS, shape: i }; });
}

export const isDesigns = (data) => data.designs !== undefined;

// Returns the nodes of the page.
export function designsPage({ designs, ikat }) {
  const data = clean(designs);
  prepare(data);
  const figures = figuresOf(data), measures = performanceOf(data, figures), page = choices(data, figures, measures);
  const parts = [['Summary', summary(data, figures, measures)], ['Cost and performance', tradeOff(data, figures, measures, page)], ['All designs', allDesigns(data, figures, page)], ['Comparison', comparison(data, figures, page)], ['Costs', costs(data, figures, page)],
    ['Floor plans', floorPlans(data, page)], ['Workloads', workloads(data, figures, page)], ['Failures', failures(data, page)], ['Sources', sources(data, figures)], ['Do not fit', misfits(data)]].filter(([, node]) => node);
  document.title = `Networks for ${plural(data.wish.hosts, 'host')}: ikat design`;
  return { head: header(data, ikat), items: parts.map(([name, node]) => [node.id, name]), sections: parts.map(([, node]) => node) };
}
