// SPDX-License-Identifier: Apache-2.0
// The section of the fabric: what its picture shows, of which curve, load and moment; a host or switch that is sought; a pair's paths.
import { card, choose, el } from './dom.js';
import { fabricPicture } from './fabric.js';
import { describeNode, finder } from './find.js';
import { atLoad, loadText, moment as momentText, ofOneMachine, percent, rate } from './format.js';
import { legend } from './legend.js';
import { rootsAt } from './congestion.js';
import { shortNames } from './names.js';
import { pathOf, routeCommand } from './routes.js';
import * as state from './state.js';
import { numbers } from './tables.js';
import { whatIf } from './whatif.js';

// What is drawn at random, such as fail=3%, is drawn with this seed.
const known = (data, fabric) => ({ fabric: data.fabrics[fabric].spec, seed: data.points.find((p) => p.fabric === fabric)?.params.setup_seed ?? 1 });

// What the switches' colours may show at a moment.
const SWITCH_SHOWS = [['filled', 'buffers filled', 'full'], ['blocked', 'buffers blocked', 'blocked'], ['hol', 'held up by a head', 'held up by the head of their queue']];

// Fields for one node and for a pair; `place()` gives { drawing, curve, picture } of what is shown now.
function seeker(data, place) {
  const told = el('p', { class: 'quiet', role: 'status' }), command = el('code', { class: 'command' });
  const valid = (n, first, end) => (Number.isInteger(n) && n >= first && n < end ? n : null);
  const numbersOf = (key) => state.get(key).split('-').map((x) => (/^\d+$/.test(x) ? Number(x) : NaN));
  let [sought] = numbersOf('node'), [src, dst] = numbersOf('pair');
  const field = (label, hostsOnly, keep) => finder(label, hostsOnly, (n) => { if (n === -1) unknown(label); else { keep(n === null ? NaN : n); remember(); apply(true); } });
  const find = field('find', false, (n) => { sought = n; });
  const from = field('path from', true, (n) => { src = n - place().drawing.switches; });
  const to = field('to', true, (n) => { dst = n - place().drawing.switches; });
  const unknown = (label) => { told.textContent = `${label}: no ${label === 'find' ? 'host or switch' : 'host'} has this name or number.`; command.hidden = true; };
  function remember() {
    state.set('node', Number.isInteger(sought) ? sought : '');
    state.set('pair', Number.isInteger(src) || Number.isInteger(dst) ? `${Number.isInteger(src) ? src : ''}-${Number.isInteger(dst) ? dst : ''}` : '');
  }
  function apply(centre) {
    const { drawing, curve, picture } = place();
    const node = valid(sought, 0, drawing.names.length), a = valid(src, 0, drawing.hosts), b = valid(dst, 0, drawing.hosts);
    const asNode = (h) => (h === null ? null : h + drawing.switches);
    find.show(drawing, node);
    from.show(drawing, asNode(a));
    to.show(drawing, asNode(b));
    picture.seek(node, centre);
    const path = a !== null && b !== null && curve ? pathOf(data, curve, a, b) : null;
    picture.path(path?.channels ? path : null);
    told.textContent = [node !== null && `Found ${describeNode(drawing, node)}.`, path && (path.told ?? path.why)].filter(Boolean).join(' ');
    told.hidden = !told.textContent;
    command.hidden = !path;
    if (path) command.textContent = routeCommand(data, curve, a, b);
  }
  return { fields: el('div', { class: 'controls seek' }, find.node, from.node, to.node), told: el('div', { class: 'told' }, told, command), apply };
}

const SMALL = 16; // switches

export function fabricView(data) {
  const small = data.fabrics.every((f) => !f.drawing || f.switches <= SMALL); // printed beside another picture
  const node = (...children) => el('section', { id: 'fabric', class: small ? 'small' : undefined }, el('h2', {}, 'The fabric'), el('p', { class: 'quiet' },
    ofOneMachine(data), data.curves.length ? 'Each link has the colour of its busier direction. ' : '', el('span', { class: 'screen' }, 'Point at links, switches and hosts; the wheel zooms, dragging moves, a double click shows everything again. With the keyboard: arrows, + and −, Escape.')), card(...children));
  // Of samples only the first has a drawing.
  const drawn = data.curves.map((c, i) => [c, i]).filter(([c]) => data.fabrics[c.fabric].drawing).map(([, i]) => i);
  return drawn.length ? loaded(data, drawn, node) : data.curves.length ? '' : plain(data, node);
}

// Without simulation: a fabric and its routes.
function plain(data, node) {
  const drawn = [...new Set((data.statics ?? data.plans).map((s) => s.plan ?? s.id))].filter((p) => data.fabrics[data.plans[p]?.fabric]?.drawing && (!data.plans[p].sample || !data.over));
  const pictures = new Map(), holder = el('div', {});
  if (!drawn.length) { const f = data.fabrics.find((g) => g.drawing); return f ? node(fabricPicture(f).node) : ''; }
  const name = (p) => [data.plans[p].label, data.fabrics.filter((f) => !f.sample).length > 1 && data.fabrics[data.plans[p].fabric].label].filter(Boolean).join(', ');
  const pick = choose('routing', 'plan', drawn.map((p) => [p, name(p)]), drawn[0], () => show());
  const curve = () => ({ plan: pick.value, fabric: data.plans[pick.value].fabric });
  const picture = () => {
    const f = curve().fabric;
    if (!pictures.has(f)) pictures.set(f, fabricPicture(data.fabrics[f]));
    return pictures.get(f);
  };
  const seek = seeker(data, () => ({ drawing: data.fabrics[curve().fabric].drawing, curve: curve(), picture: picture() }));
  const damage = whatIf(data, () => ({ index: curve().fabric, shown: curve(), known: known(data, curve().fabric), routing: data.plans[pick.value].routing, drawing: data.fabrics[curve().fabric].drawing, picture: picture() }));
  function show() { holder.replaceChildren(picture().node); seek.apply(false); damage?.apply(); }
  show();
  return node(el('div', { class: 'controls' }, drawn.length > 1 && pick.node), seek.fields, seek.told, holder, damage?.node);
}

function loaded(data, drawn, node) {
  const usual = drawn.find((i) => data.fabrics[data.curves[i].fabric].slow_links.length) ?? drawn[0];
  const pick = choose('routing and traffic', 'curve', drawn.map((i) => [i, data.nameOf(data.curves[i]), data.curves[i].label]), usual, () => { step = Math.min(step, curve().steps.length - 1); show(); });
  const curve = () => data.curves[pick.value], fabric = () => data.fabrics[curve().fabric];
  const middle = Math.floor(curve().steps.length * 0.6);
  let step = Math.floor(state.number('load', 0, curve().steps.length - 1, middle)), moment = Math.floor(state.number('time', 0, 1e9, -1));
  const holder = el('div', {}), pictures = new Map(), label = el('output', {}), when = el('output', {});
  const slider = el('input', { type: 'range', min: 0, step: 1, 'aria-label': 'load', oninput: (e) => { step = +e.target.value; state.set('load', step, middle); show(); } });
  const clock = el('input', { type: 'range', min: -1, step: 1, value: -1, 'aria-label': 'time', oninput: (e) => { moment = +e.target.value; state.set('time', moment, -1); show(); } });
  const clockBox = el('label', { class: 'control' }, el('span', {}, 'switches at'), clock, when);
  const shows = choose('show', 'switches', SWITCH_SHOWS.map(([key, name]) => [key, name]), 'filled', () => show());
  const measures = choose('groups by', 'groups', [['mean', 'mean'], ['max', 'busiest link']], 'mean', () => show());
  const busyKey = legend('0', '100 % of its rate');
  const rootKey = el('span', { class: 'legend' }, el('span', { class: 'root-mark' }), 'root of a congestion tree');
  const picture = () => {
    const f = curve().fabric;
    if (!pictures.has(f)) pictures.set(f, fabricPicture(data.fabrics[f]));
    return pictures.get(f);
  };
  const seek = seeker(data, () => ({ drawing: fabric().drawing, curve: curve(), picture: picture() }));
  const damage = whatIf(data, () => ({ index: curve().fabric, shown: curve(), known: known(data, curve().fabric), routing: data.plans[curve().plan].routing, drawing: fabric().drawing, picture: picture() }));
  const box = numbers('channels', () => channelRows(curve(), curve().steps[step], fabric().drawing));
  function show() {
    const shown = picture(), at = curve().steps[step];
    if (holder.firstChild !== shown.node) holder.replaceChildren(shown.node);
    measures.node.hidden = !shown.aggregated;
    slider.max = curve().steps.length - 1;
    slider.hidden = curve().steps.length < 2;
    slider.value = step;
    label.textContent = `${atLoad(at.load)}: ${percent(at.throughput)} accepted`;
    slider.setAttribute('aria-valuetext', label.textContent);
    const { series, congestion_series: congestion } = at;
    clockBox.hidden = !series?.filled.length;
    clock.max = (series?.filled.length ?? 0) - 1;
    clock.value = moment = Math.min(moment, +clock.max);
    when.textContent = moment < 0 ? 'not shown' : momentText(((moment + 1) * series.period_ps) / 1000);
    const sampled = congestion?.blocked.length > 0;
    shows.node.hidden = clockBox.hidden || !sampled;
    rootKey.hidden = !sampled || moment < 0;
    const [key, , word] = SWITCH_SHOWS.find(([k]) => k === shows.value && sampled) ?? SWITCH_SHOWS[0];
    const shares = moment < 0 ? null : key === 'filled' ? series.filled[moment] : congestion[key][moment];
    shown.show(at.utilisation, measures.value, shares, word, moment < 0 || !sampled ? null : rootsAt(congestion, moment));
    seek.apply(false);
    damage?.apply();
    box.refresh();
  }
  show();
  return node(el('div', { class: 'controls' }, pick.node, el('label', { class: 'control' }, el('span', {}, 'load'), slider, label), clockBox, shows.node, measures.node, busyKey.node, rootKey,
    data.fabrics.some((f) => f.slow_links.length) && el('span', { class: 'legend' }, el('span', { class: 'dash' }), 'below the common rate')), seek.fields, seek.told, holder, damage?.node, box);
}

function channelRows(curve, s, drawing) {
  const short = shortNames(drawing);
  const rows = drawing.links.flatMap((l) => [[l[0], l[1], l[2], l[4], l[5], l[6]], [l[3], l[4], l[5], l[1], l[2], l[6]]]).map(([c, a, ap, b, bp, cls]) => ({
    channel: c, a, b, from: drawing.names[a], from_port: ap, to: drawing.names[b], to_port: bp, rate_bps: drawing.classes[cls].rate_bps, utilisation: s.utilisation[c], curve: curve.label, load: s.load }));
  rows.sort((a, b) => b.utilisation - a.utilisation);
  return { columns: [{ key: 'from', name: 'from', text: (r) => short[r.a], whole: (r) => r.from }, { key: 'from_port', name: 'port', number: true }, { key: 'to', name: 'to', text: (r) => short[r.b], whole: (r) => r.to }, { key: 'to_port', name: 'port', number: true },
    { key: 'rate_bps', name: 'rate', number: true, text: (r) => rate(r.rate_bps) }, { key: 'utilisation', name: 'busy', number: true, text: (r) => percent(r.utilisation) },
    { key: 'load', name: 'load', number: true, text: (r) => loadText(r.load) }, { key: 'curve', csv: true }], rows };
}
