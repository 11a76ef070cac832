// SPDX-License-Identifier: Apache-2.0
// What curves differ in: their axes, names made of these alone, and looks: a colour for each value of the first axis, a dash for each
// value of the second.
import { DASHES, lineStyle, NUM_COLOURS } from './theme.js';

const SECTIONS = ['design', 'routing', 'vc', 'vcs', 'selection', 'fabric', 'traffic', 'switch', 'adapter', 'measure', 'reference'];
const SPECS = new Set(['fabric', 'routing', 'vc', 'selection', 'traffic']); // "family:key=value,…"; the others have no family
const SETTINGS = new Set(['design', 'switch', 'adapter', 'measure', 'reference']);
const MARKS = 4; // shapes of marks
const SHORT = 24; // characters: what is no longer needs no shortening

// Parts of a spec: between commas before KEY=, outside of parentheses and of quotes, which open where a value or a member begins.
function items(text) {
  const parts = [];
  let begin = 0, depth = 0, quoted = false, within = false;
  for (let at = 0; at < text.length; at++) {
    const c = text[at], opens = c === '"' && !within;
    if (quoted) {
      at += c === '\\' && /["\\]/.test(text[at + 1] ?? '') ? 1 : 0;
      quoted = c !== '"';
      continue;
    }
    if (c === ',' && depth === 0 && /^,[A-Za-z0-9_]+=/.test(text.slice(at))) {
      parts.push(text.slice(begin, at));
      begin = at + 1;
    }
    depth += (c === '(') - (c === ')');
    quoted = opens;
    within = opens || (/\s/.test(c) ? within : !'=:,;+*&|@('.includes(c));
  }
  return [...parts, text.slice(begin)];
}

// "family:key=value,key=value"
function parse(spec, family) {
  const colon = family ? spec.search(/[:=]/) : -1, has = colon >= 0 && spec[colon] === ':';
  const rest = family ? (has ? spec.slice(colon + 1) : '') : spec;
  const params = rest ? items(rest).map((item) => {
    const at = item.indexOf('=');
    return at > 0 && /^[A-Za-z0-9_]+$/.test(item.slice(0, at)) ? [item.slice(0, at), item.slice(at + 1)] : ['', item];
  }) : [];
  return { family: family ? (has ? spec.slice(0, colon) : spec) : '', params: new Map(params) };
}

const distinct = (list) => [...new Set(list)];

const TAIL = 12; // characters behind "=" that are worth leaving out

// Long texts without the pieces that all of them have (in the same place, where all have as many), and pieces ("halo@3 us=exchange:…")
// without what all have behind their "=".
function pruned(texts) {
  const pieces = texts.map((t) => t.split(/[|&;/()]|,\s*/).filter(Boolean)), tail = (p) => (p.includes('=') ? p.slice(p.indexOf('=')) : '');
  const aligned = distinct(pieces.map((list) => list.length)).length === 1;
  const everywhere = (k, test) => pieces.every((list) => (aligned ? test(list[k]) : list.some(test)));
  const short = (p, k) => (tail(p).length > TAIL && everywhere(k, (q) => tail(q) === tail(p)) ? p.slice(0, p.indexOf('=')) : p);
  const kept = pieces.map((list) => list.map((p, k) => (everywhere(k, (q) => q === p) ? '' : short(p, k))).filter(Boolean).join(', '));
  return new Map(texts.map((t, i) => [t, distinct(kept).length === distinct(texts).length ? kept[i] || '–' : t]));
}

// Names of specs, or of labels that begin with one: families, with the parameters in which those of a family differ. A map from each.
export function shortSpecs(texts) {
  const all = distinct(texts), same = new Map(all.map((t) => [t, t]));
  if (all.every((t) => t.length <= SHORT)) return same;
  const parsed = all.map((t) => parse(t, true));
  const names = new Map(all.map((text, i) => {
    const { family, params } = parsed[i], others = parsed.filter((p) => p.family === family);
    const differing = [...params].filter(([key, value]) => others.some((o) => o.params.get(key) !== value)).map(([key, value]) => (key ? `${key}=${value}` : value));
    const alone = distinct(parsed.map((p) => p.family)).length === 1;
    return [text, differing.length ? `${alone && !differing[0].startsWith('/') ? '' : `${family}:`}${differing.join(',')}` : family];
  }));
  if (distinct([...names.values()]).length < all.length) return same;
  return [...names.values()].some((n) => n.length > 2 * SHORT) ? shorterStill(names) : names;
}
function shorterStill(names) {
  const less = pruned([...names.values()]);
  return distinct([...less.values()]).length < names.size ? names : new Map([...names].map(([whole, name]) => [whole, less.get(name)]));
}

// What each of the curves was made with: parameters of its first point.
function paramsOf(data) {
  if (data.paramsOf) return data.paramsOf;
  const key = (c) => `${c.fabric}\n${c.plan}\n${c.traffic}\n${c.variant}`;
  const first = new Map();
  for (const p of data.points) if (!first.has(key(p))) first.set(key(p), p.params ?? {});
  data.paramsOf = (c) => first.get(key(c)) ?? {};
  return data.paramsOf;
}

const LABELS = { fabric: (data, c) => c.fabric_label ?? data.fabrics[c.fabric].label, routing: (data, c) => c.plan_label ?? data.plans[c.plan].label, traffic: (_, c) => c.traffic };

// Axes of one section: the section itself where its families differ, else each of its parameters that differs.
function sectionAxes(data, curves, section) {
  const texts = curves.map((c) => String(paramsOf(data)(c)[section] ?? ''));
  const label = LABELS[section], labels = label && curves.map((c) => label(data, c));
  if (distinct(texts).length < 2 && !(labels && distinct(labels).length > 1)) return [];
  const parsed = texts.map((t) => parse(t, SPECS.has(section)));
  const whole = () => {
    const names = labels && distinct(labels).length >= distinct(texts).length ? labels : texts;
    const short = shortSpecs(names);
    return [{ name: section, values: names.map((n) => short.get(n)), bare: true }];
  };
  if (distinct(parsed.map((p) => p.family)).length > 1 || section === 'design' || section === 'vcs') return whole();
  const keys = distinct(parsed.flatMap((p) => [...p.params.keys()])).filter((key) => distinct(parsed.map((p) => p.params.get(key))).length > 1);
  if (!keys.length || keys.includes('')) return whole();
  return keys.map((key) => {
    const values = parsed.map((p) => p.params.get(key) ?? '–');
    const less = values.some((v) => v.length > 2 * SHORT) ? pruned(values) : null;
    return { name: `${section}.${key}`, values: less ? values.map((v) => less.get(v)) : values, bare: !!less };
  });
}

// Whether b's values follow from those of a.
const follows = (b, a) => { const seen = new Map(); return a.values.every((v, i) => (seen.has(v) ? seen.get(v) === b.values[i] : seen.set(v, b.values[i]))); };

// [{ name: "switch.buffer", values: [of each curve], bare: its values say by themselves what they are }]
export function axesOf(data, curves) {
  const all = SECTIONS.flatMap((s) => sectionAxes(data, curves, s)).filter((a) => !(data.over ?? []).some((o) => a.name === o || a.name.startsWith(`${o}.`)));
  return all.filter((a, i) => !all.slice(0, i).some((b) => follows(a, b)));
}

const lastPart = (name) => name.slice(name.indexOf('.') + 1);
function valueText(axes, axis, value) {
  if (axis.bare) return value;
  const twice = axes.some((a) => a !== axis && !a.bare && lastPart(a.name) === lastPart(axis.name));
  return `${twice ? axis.name : lastPart(axis.name)}=${value}`;
}

// Names of curves by what they differ in: a function of a curve. Where they do not differ at all: their routing.
export function shortNamesOf(data, curves) {
  const axes = axesOf(data, curves), index = new Map(curves.map((c, i) => [c, i]));
  return (c) => {
    const i = index.get(c);
    const name = i === undefined ? '' : axes.map((a) => valueText(axes, a, a.values[i])).filter((t) => t !== '').join(', ');
    return name || (c.plan_label ?? data.plans[c.plan].label);
  };
}

// What the settings of curves (switch, adapter, …) differ in: a map from the text that all of a curve's settings are.
export function shortSettingsOf(data, curves) {
  const axes = axesOf(data, curves).filter((a) => SETTINGS.has(a.name.split('.')[0]));
  return new Map(curves.map((c, i) => [c.variant, axes.map((a) => valueText(axes, a, a.values[i])).filter((t) => t !== '').join(', ')]));
}

// Several axes as one, whose values are what they have together.
function together(axes, list) {
  const values = list[0].values.map((_, i) => (list.length === 1 ? list[0].values[i] : list.map((a) => valueText(axes, a, a.values[i])).filter((t) => t !== '').join(', ')));
  return { name: list.map((a) => a.name).join(', '), values, all: distinct(values) };
}

// How curves look: { styleOf(curve), keys: [{ axis, values: [{ text, style, curves }] }] }. The first axis gives colours, further ones
// dashes, and marks where dashes do not suffice. keys is null where there are too many values: every curve then has a look of its own.
// without: a section that does not count, because curves that differ in it stand in different charts.
export function looksOf(data, curves, without = '') {
  const axes = axesOf(data, curves).filter((a) => !without || a.name.split('.')[0] !== without);
  const index = new Map(curves.map((c, i) => [c, i]));
  const size = (list) => (list.length ? together(axes, list).all.length : 1);
  const first = axes.find((a) => size([a]) <= NUM_COLOURS), groups = [first ? [first] : [], [], []];
  for (const a of axes.filter((x) => x !== first)) {
    const free = [1, 2].find((k) => size([...groups[k], a]) <= (k === 1 ? DASHES.length : MARKS));
    if (!first || !free) return ownLooks(axes, curves, index);
    groups[free].push(a);
  }
  const [colours, dashes, marks] = groups.map((list) => (list.length ? together(axes, list) : null));
  const place = (a, i) => (a ? a.all.indexOf(a.values[i]) : 0);
  const markOf = (i, colour, dash) => (marks ? place(marks, i) : (colour + dash) % MARKS);
  const styleOf = (c) => { const i = index.get(c), colour = place(colours, i), dash = place(dashes, i); return { colour, dash, symbol: markOf(i, colour, dash) }; };
  const key = (a, style) => ({ axis: a.name, values: a.all.map((value, k) => ({ text: value, style: style(k), curves: new Set(curves.filter((_, i) => a.values[i] === value)) })) });
  const keys = [colours && key(colours, (k) => ({ colour: k, dash: 0, symbol: -1 })), dashes && key(dashes, (k) => ({ colour: -1, dash: k, symbol: -1 })), marks && key(marks, (k) => ({ colour: -1, dash: -1, symbol: k }))].filter(Boolean);
  return { styleOf, keys };
}

// Each combination of values has a line style of its own.
function ownLooks(axes, curves, index) {
  const texts = axes.length ? together(axes, axes).values : curves.map(() => ''), all = new Map(distinct(texts).map((t, i) => [t, i]));
  return { styleOf: (c) => { const { colour, dash, symbol } = lineStyle(all.get(texts[index.get(c)])); return { colour, dash, symbol: symbol % MARKS }; }, keys: null };
}
