// SPDX-License-Identifier: Apache-2.0
// What if links of a fabric failed, or ran slower: chosen in its picture, computed by whoever shows the page. A page that nobody serves
// has nothing of it.
import { el, select } from './dom.js';
import { count, percent, plural, time, verdict } from './format.js';
import { legend } from './legend.js';
import { linkOf } from './scene.js';

const GENERAL = ['dmodc', 'updown', 'shortest', 'minimal', 'dfsssp', 'nue']; // routings of any fabric
const PATTERNS = ['uniform', 'worst', 'tornado', 'shift', 'complement'];
const MOST = 200; // parts that are damaged
let ask = null; // { compute(form, signal) → answer, cancel() }
export const computeBy = (server) => { ask = server; };

// What is chosen and found stays when the page is drawn again.
const chosen = { on: false, fabric: null, parts: [], effect: 'fail', rate: 25, routing: '', traffic: '', load: 0.5, found: null, told: '', running: false };
let latest = null; // draws the panel that was made last, when an answer comes
const known = new Map(); // answers about fabrics as they are, by what was asked

function rowsOfCsv(text) {
  const rows = [];
  for (const line of text.trimEnd().split('\n')) rows.push([...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map((m) => m[1]?.replaceAll('""', '"') ?? m[2]));
  const [head, ...rest] = rows;
  return rest.map((r) => Object.fromEntries(head.map((key, i) => [key, r[i]])));
}

// The share of each channel's rate that is used at full load, by its number; null: it is not predicted. The tightest one is full at the
// saturation.
function sharesOf({ loads: { saturation, channels } }) {
  if (!(saturation > 0)) return null;
  const { channel, rate_bps: rate, load } = channels;
  const used = load.map((x, i) => x / rate[i]), most = used.reduce((m, x) => Math.max(m, x), 0), shares = [];
  channel.forEach((c, i) => { shares[c] = used[i] / most / saturation; });
  return shares;
}

// A switch as the commands know it: sw3, unless another one has that name.
function switchRef(drawing, n) {
  const number = `sw${n}`, name = drawing.names[n];
  if (!drawing.names.some((x, i) => x === number && i !== n && i < drawing.switches)) return number;
  return /^[A-Za-z][\w.-]*$/.test(name) && drawing.names.indexOf(name) === drawing.names.lastIndexOf(name) ? name : null;
}
const portRef = (drawing, link) => {
  const [n, port] = link.from < drawing.switches ? [link.from, link.fromPort] : [link.to, link.toPort], ref = switchRef(drawing, n);
  return ref && `${ref}.${port}`;
};

// place(): { index: of the fabric, shown: its curve, known: { fabric, seed } that name it to whoever computes, routing, picture, drawing } of what is shown. Returns { node, apply }, or null.
export function whatIf(data, place) {
  if (!ask) return null;
  const told = el('p', { class: 'quiet', role: 'status' }), parts = el('div', { class: 'controls parts' }), choices = el('div', { class: 'controls' }), result = el('div', {});
  const rateField = el('input', { type: 'number', min: 0.001, step: 'any', value: chosen.rate, 'aria-label': 'rate in Gb/s', class: 'rate', oninput: (e) => { chosen.rate = +e.target.value; } });
  const loadLabel = el('output', {}), keys = el('div', { class: 'controls', hidden: true }, legend('0', '100 % of its rate: links as damaged').node);
  const load = el('input', { type: 'range', min: 1, max: 100, value: Math.round(100 * chosen.load), 'aria-label': 'load of the colours and the simulation', oninput: (e) => { chosen.load = e.target.value / 100; paint(); } });
  // For the keyboard, and for parts that a large picture puts together.
  const byName = el('input', { type: 'search', placeholder: 'sw0, sw0.5', size: 10, 'aria-label': 'switch, or port, to be damaged', onchange: (e) => { pickByName(e.target.value.trim()); e.target.value = ''; } });
  const button = (text, onclick, props = {}) => el('button', { type: 'button', onclick, ...props }, text);
  const open = button('What if …', () => { chosen.on = !chosen.on; apply(); }), compute = button('Compute', () => run(false)), simulate = button('Simulate', () => run(true), { title: 'a simulation of some seconds, before and after' });
  const cancel = button('Cancel', () => ask.cancel()), clear = button('Undo all', () => { chosen.parts = []; chosen.found = null; apply(); });
  const body = el('div', { class: 'whatif' }, el('p', { class: 'quiet' }, 'Click on links and switches in the picture, or name them: each is damaged, or whole again. Then compute what the routing makes of it.'), choices, parts,
    el('div', { class: 'controls' }, compute, simulate, el('label', { class: 'control' }, el('span', {}, 'at load'), load, loadLabel), clear, cancel), keys, told, result);
  const node = el('div', { class: 'whatif-box' }, el('div', { class: 'controls' }, open), body);

  const list = (effect) => chosen.parts.filter((p) => p.effect === effect).map((p) => (effect === 'slow' ? `${p.ref}@${p.rate}Gb/s` : p.ref)).join(':');
  // The point whose VC scheme, switch, adapters and measurement are taken: of what is shown, with the routing and the traffic that are chosen if there is one.
  function pointOf() {
    const { index, shown = {} } = place(), same = (p) => (p.routing === chosen.routing) * 4 + (p.plan === shown.plan) * 2 + (p.variant === shown.variant) * 2 + (p.traffic === chosen.traffic);
    const best = data.points.filter((p) => p.fabric === index).reduce((b, p) => (b && same(b) >= same(p) ? b : p), null);
    return best ? { point: best.id } : {};
  }
  const form = (damaged, more = {}) => ({ ...place().known, ...pointOf(), routing: chosen.routing, traffic: chosen.traffic, ...(damaged && list('fail') && { fail: list('fail') }), ...(damaged && list('slow') && { slow: list('slow') }), ...more });
  const say = (text) => { chosen.told = text; told.textContent = text; told.hidden = !text; };

  function pick({ edge, host, node: at }) {
    const { drawing } = place(), whole = (l) => !chosen.parts.some((p) => p.channel === l.channel);
    const link = host ?? edge?.links.find(whole) ?? edge?.links[0], sw = at?.single >= 0 ? at.single : null;
    if (!link && sw === null) return;
    const ref = link ? portRef(drawing, link) : switchRef(drawing, sw), same = (p) => (link ? p.channel === link.channel : p.sw === sw);
    if (chosen.parts.some(same)) chosen.parts = chosen.parts.filter((p) => !same(p));
    else if (!ref) say('This part has no name that a command takes.');
    else if (chosen.parts.length >= MOST) say(`At most ${MOST} parts can be damaged.`);
    else if (link && chosen.effect === 'slow' && !(chosen.rate > 0)) say('The rate is a number of Gb/s.');
    else chosen.parts.push(link ? { ref, channel: link.channel, opposite: link.opposite, effect: chosen.effect, rate: chosen.rate } : { ref, sw, effect: 'fail' });
    apply();
  }

  function pickByName(name) {
    const { drawing } = place(), names = (n) => [switchRef(drawing, n), drawing.names[n]];
    const link = drawing.links.map(linkOf).find((l) => [[l.from, l.fromPort], [l.to, l.toPort]].some(([n, port]) => n < drawing.switches && names(n).includes(name.slice(0, name.lastIndexOf('.'))) && name.endsWith(`.${port}`)));
    const sw = Array.from({ length: drawing.switches }, (_, n) => n).find((n) => names(n).includes(name)) ?? -1;
    if (sw >= 0 || link) pick(sw >= 0 ? { node: { single: sw } } : { host: link });
    else if (name) say(`There is no switch or port '${name}' with a cable.`);
  }

  async function run(simulated) {
    if (chosen.running) return;
    // Whatever is chosen meanwhile, the answers are to this.
    const more = simulated ? { simulate: 'yes', load: chosen.load } : {}, whole = form(false, more), damaged = form(true, more), asked = JSON.stringify(form(true)), of = chosen.fabric;
    chosen.running = true;
    say(simulated ? 'Simulating …' : 'Computing …');
    apply();
    try {
      const key = JSON.stringify(whole);
      if (!known.has(key)) known.set(key, read(await ask.compute(whole)));
      const before = known.get(key), after = damaged.fail || damaged.slow ? read(await ask.compute(damaged)) : before;
      if (chosen.fabric === of) chosen.found = { ...(chosen.found?.asked === asked ? chosen.found : {}), asked, [simulated ? 'simulated' : 'static']: [before, after] };
      chosen.told = '';
    } catch (error) {
      chosen.told = error.message;
    }
    chosen.running = false;
    latest();
  }

  const read = (answer) => ({ ...answer, proof: answer.check && JSON.parse(answer.check.text), loads: answer.load && JSON.parse(answer.load.text), point: answer.points && rowsOfCsv(answer.points.text)[0] });

  function rows({ static: s, simulated }) {
    const row = (name, of, from) => from && [name, of(from[0]), of(from[1])], number = (x) => (x === undefined || x === null ? '–' : +(+x).toPrecision(6));
    return [
      row('pairs of hosts that are connected', (a) => `${count(a.proof.pairs - a.proof.unconnected)} of ${count(a.proof.pairs)}`, s), row('all of them delivered', (a) => `${verdict(a.proof.delivered)}${a.proof.undelivered ? `, ${plural(a.proof.undelivered, 'pair')} not` : ''}`, s),
      row('free of deadlock', (a) => `${verdict(a.proof.deadlock_free)}: ${a.proof.deadlock_reason}`, s), row('largest load of a channel', (a) => (a.loads.max_load === undefined ? '–' : `${number(a.loads.max_load)} of a host’s rate, ${a.loads.max_channel}`), s),
      row('predicted saturation', (a) => (typeof a.loads.saturation === 'number' ? `${number(100 * a.loads.saturation)} % of the hosts’ rate` : 'not predicted'), s), row('limited by', (a) => a.loads.tightest_channel ?? '–', s),
      row(`accepted at ${percent(+(simulated?.[0].point?.load ?? 0), 0)} load, simulated`, (a) => percent(+a.point.throughput), simulated), row('mean latency, simulated', (a) => time(+a.point.latency_mean_ns), simulated),
      row('steady', (a) => `${a.point.steady}: ${a.point.steady_reason}`, simulated)].filter(Boolean);
  }

  function results() {
    const { found } = chosen;
    if (!found) return [];
    const old = found.asked !== JSON.stringify(form(true)), after = found.static?.[1], witness = after?.proof.witness;
    const commands = [...(found.static ? [after.check.command, after.load.command] : []), ...(found.simulated ? [`ikat run whatif.yaml, with whatif.yaml:\n${found.simulated[1].experiment}`] : [])];
    return [old && el('p', { class: 'no' }, 'This is what was computed before the last change: compute again.'),
      el('div', { class: 'scroll' }, el('table', { 'data-whatif': 'result' }, el('thead', {}, el('tr', {}, ['', 'as it is', 'damaged'].map((t) => el('th', { scope: 'col' }, t)))),
        el('tbody', {}, rows(found).map(([name, a, b]) => el('tr', {}, el('th', { scope: 'row' }, name), el('td', {}, a), el('td', { class: a === b ? '' : 'changed' }, b)))))),
      witness?.length > 0 && el('div', { class: 'callout' }, el('h3', {}, 'A cycle that can deadlock'), el('ol', {}, witness.map((d) => el('li', {}, `${d.from} → ${d.to} on VC ${d.vc}, held by packets ${d.source_name} to ${d.destination_name}`)))),
      el('p', { class: 'quiet' }, 'The same outside of the page:'), ...commands.map((c) => el('pre', { class: 'repeat' }, c))].filter(Boolean);
  }

  // Links have the colours of their load after the damage.
  function paint() {
    const { found } = chosen, { picture } = place(), shown = chosen.on && found?.static && found.asked === JSON.stringify(form(true));
    loadLabel.textContent = percent(chosen.load, 0);
    const shares = shown ? (found.shares ??= sharesOf(found.static[1])) : null;
    keys.hidden = !shares;
    picture.mark(chosen.on ? { failed: new Set(chosen.parts.filter((p) => p.effect === 'fail' && p.channel !== undefined).map((p) => p.channel)), down: new Set(chosen.parts.filter((p) => p.sw !== undefined).map((p) => p.sw)),
      slow: new Set(chosen.parts.filter((p) => p.effect === 'slow').map((p) => p.channel)), use: shares && Array.from(shares, (x) => (x ?? 0) * chosen.load) } : null);
  }

  function apply() {
    const at = place(), { drawing } = at, plans = data.plans.filter((p) => p.fabric === at.index).map((p) => p.routing), patterns = data.curves.filter((c) => c.fabric === at.index && c.steps[0].load > 0).map((c) => c.traffic);
    if (chosen.fabric !== at.known.fabric) Object.assign(chosen, { fabric: at.known.fabric, parts: [], found: null, routing: at.routing, traffic: patterns[0] ?? 'uniform', told: '' });
    open.setAttribute('aria-expanded', chosen.on);
    body.hidden = !chosen.on;
    at.picture.picks(chosen.on ? pick : null);
    const choice = (label, key, options) => select(label, [...new Set(options)].map((o) => [o, o]), (v) => { chosen[key] = v; apply(); }, chosen[key]);
    choices.replaceChildren(select('a click on a link', [['fail', 'it fails'], ['slow', 'it is slow']], (v) => { chosen.effect = v; apply(); }, chosen.effect), chosen.effect === 'slow' ? el('label', { class: 'control' }, el('span', {}, 'at'), rateField, 'Gb/s') : '',
      choice('routed by', 'routing', [chosen.routing, ...plans, ...GENERAL]), choice('under', 'traffic', [chosen.traffic, ...patterns, ...PATTERNS]), el('label', { class: 'control' }, el('span', {}, 'or by name'), byName));
    const name = (p) => (p.sw !== undefined ? `switch ${drawing.names[p.sw]}` : p.ref);
    parts.replaceChildren(...chosen.parts.map((p) => button(`${name(p)} ${p.effect === 'fail' ? 'fails' : `at ${p.rate} Gb/s`} ×`, () => { chosen.parts = chosen.parts.filter((x) => x !== p); apply(); }, { class: 'part', 'aria-label': `${name(p)} is whole again` })));
    compute.disabled = simulate.disabled = chosen.running;
    cancel.hidden = !chosen.running;
    clear.hidden = !chosen.parts.length;
    say(chosen.told);
    result.replaceChildren(...results());
    paint();
  }
  latest = apply;
  return { node, apply };
}
