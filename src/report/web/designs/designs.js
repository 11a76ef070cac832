// SPDX-License-Identifier: Apache-2.0
// The page of `ikat design`: which networks fulfil a wish, what they cost and do, and where each figure comes from.
import { fewerText, figuresOf, hostsText, list, lossText, nameWithKind, performanceOf, shown, wishText } from './designfigures.js';
import { costs, failures, firstBig, growth, misfits, nothingFits, quiet, section, sources, workloads } from './designsections.js';
import { card, choose, el, slug } from '../dom.js';
import { floorPlans } from './floorplans.js';
import { percent, percentAtLeast, plural, time } from '../format.js';
import { frontOf, glyph, near, pareto } from './pareto.js';
import { comparisonTable } from './comparison.js';
import * as state from '../state.js';
import { svg } from '../svg.js';
import { table } from '../tables.js';
import { NUM_COLOURS, onTheme, toggleTheme } from '../theme.js';

const MOST_SAID = 4; // designs that a sentence names

// ---- header and summary

// What a shell takes as one word.
const word = (text) => (/^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`);

function header(data, version) {
  const { radix, rails } = data.wish;
  return el(
    'header',
    {},
    el(
      'div',
      { class: 'top' },
      el(
        'div',
        {},
        el('h1', {}, `Networks for ${hostsText(data)}`),
        el(
          'div',
          { class: 'meta' },
          [`ikat ${version}`, `switches of ${radix} ports`, rails > 1 && `${rails} rails`]
            .filter(Boolean)
            .join('  ·  '),
        ),
      ),
      el(
        'button',
        { type: 'button', onclick: toggleTheme, 'aria-label': 'switch between light and dark' },
        'Light / dark',
      ),
    ),
    data.command.length > 0 && el('p', {}, el('span', { class: 'command' }, data.command.map(word).join(' '))),
  );
}

// What the last of the front costs more than the first, and what it gives for that. y: the cost per host. '': a part of nothing cannot be said.
function gainText(front, x, y) {
  const [first, last] = [front[0], front.at(-1)],
    more = y.value(last) / y.value(first) - 1,
    ratio = x.value(last) / x.value(first);
  if (near(y.value(first), y.value(last)) && near(x.value(first), x.value(last))) return 'They are equal in both.';
  if (!Number.isFinite(more) || !Number.isFinite(ratio)) return '';
  const gain =
    x.better < 0
      ? `${percent(1 - ratio)} less time`
      : ratio > 10
        ? `${ratio.toFixed(0)} times the load`
        : `${percent(ratio - 1)} more load`;
  return `Compared with ${first.series}, ${last.series} costs ${percent(more)} more per host and ${x.better < 0 ? 'needs' : 'carries'} ${gain}.`;
}

// Which are not beaten, cheapest first, and what the best of them costs beyond the cheapest.
function frontText(data, front, x, y) {
  const names = front
      .slice(0, MOST_SAID)
      .map((m) => `${m.series} (${shown(y, m)} ${data.currency} per host, ${shown(x, m)})`),
    more = front.length > MOST_SAID ? [`${front.length - MOST_SAID} more`] : [];
  if (!front.length) return 'No design has both figures.';
  const unknown = data.members.filter((m) => !Number.isFinite(x.value(m))),
    without = unknown.length
      ? ` Not judged, because ${x.says} is not known: ${list(unknown.map((m) => m.series))}.`
      : '';
  if (front.length === 1)
    return `By ${y.says} and ${x.says}, one design is at least as good in both as every other one: ${names[0]}.${without}`;
  return `By ${y.says} and ${x.says}, ${front.length} designs are not beaten, which means that no other one is at least as good in both and better in one: ${list([...names, ...more])}. ${gainText(front, x, y)}${without}`
    .replace('  ', ' ')
    .trim();
}

// What the first loss leaves of these designs; '': none is asked, or known.
function leftText(data, members) {
  const loss = data.losses[0],
    left = members.slice(0, MOST_SAID).filter((m) => Number.isFinite(m.failures[0]?.saturation));
  if (!loss || !left.length) return '';
  const before = (m) => m.saturation.find((s) => s.pattern === 'uniform')?.load,
    each = left.map((m) => `${percent(m.failures[0].saturation)} of the hosts' rate in ${m.series} (whole: ${percent(before(m))})`),
    connected = Math.min(...left.map((m) => m.failures[0].connected_least));
  return `With ${lossText(loss)} failed, uniform traffic${connected === 1 ? '' : ' of the pairs that stay connected'} saturates at ${list(each)}: predicted, means of ${plural(data.draws, 'random draw')}. ${connected === 1 ? 'All pairs of hosts stay connected.' : `At least ${percentAtLeast(connected, 2)} of the pairs of hosts stay connected.`}`;
}

function proofText(data) {
  const built = data.members.filter((m) => m.proved !== null),
    failed = built.filter((m) => !m.proved);
  if (!built.length)
    return 'No network was built, because so many hosts are not built or did not fit the memory limit: only sizes and costs are known.';
  const part =
    built.length < data.members.length
      ? ` ${plural(data.members.length - built.length, 'member')} did not fit the memory limit: only sizes and costs are known of them.`
      : '';
  const damaged = data.members.filter((m) => m.failures.some((f) => !f.proved || f.refused));
  const left =
    data.losses.length && built.length
      ? damaged.length
        ? ` Not every damaged network of ${list(damaged.map((m) => m.series))} is routed and proved: see Failures.`
        : ' Every routing of the damaged networks was proved, too.'
      : '';
  return (
    (failed.length
      ? `NOT PROVED is the routing of ${list(failed.map((m) => m.series))}.`
      : 'Every routing that is shown was proved to deliver between all pairs of hosts, without loops and deadlocks.') +
    left +
    part
  );
}

function summary(data, figures, measures) {
  const y = figures[0],
    x = measures[0],
    all = data.members.length + data.infeasible.length,
    cheapest = data.members[0],
    front = x ? frontOf(data.members, x, y) : [];
  return section(
    'summary',
    'Summary',
    card(
      el('p', { class: 'wish' }, wishText(data)),
      el(
        'p',
        { class: 'wish' },
        `${firstBig(`${data.members.length} of ${plural(all, 'family').replace('familys', 'families')} ${data.members.length === 1 ? 'has' : 'have'} a member that fits. `)}`,
        x
          ? frontText(data, front, x, y)
          : `The cheapest is ${cheapest.series}, with ${shown(y, cheapest)} ${data.currency} per host.`,
      ),
      leftText(data, front) && el('p', { class: 'wish' }, leftText(data, front)),
      fewerText(data) && el('p', { class: 'wish' }, fewerText(data)),
      el('p', { class: 'wish' }, proofText(data)),
    ),
  );
}

// ---- the picture, with the key by which families are left out

// Buttons that leave a family out of what follows; hidden: a Set of keys.
function familyKeys(rows, hidden, onchange) {
  const node = el('div', { class: 'keys', role: 'group', 'aria-label': 'families that are shown' });
  const fill = () =>
    node.replaceChildren(
      ...rows.map((m) => {
        const mark = svg(
          'svg',
          { width: 16, height: 14, viewBox: '-8 -7 16 14', 'aria-hidden': 'true' },
          glyph(m.look),
        );
        return el(
          'button',
          {
            type: 'button',
            class: hidden.has(m.key) ? 'key off' : 'key',
            'aria-pressed': String(!hidden.has(m.key)),
            'data-family': m.key,
            onclick: () => {
              if (hidden.has(m.key)) hidden.delete(m.key);
              else hidden.add(m.key);
              state.set('hide', [...hidden].join(' '));
              fill();
              [...node.children].find((b) => b.dataset.family === m.key)?.focus();
              onchange();
            },
          },
          mark,
          m.series,
        );
      }),
    );
  fill();
  onTheme(fill);
  return node;
}

function tradeOff(data, figures, measures, page) {
  if (!measures.length) return null;
  const ys = figures.filter((f) =>
    ['cost_per_host', 'watts_per_host', 'switches', 'cables', 'switch_cables'].includes(f.key),
  );
  const by = (key) => figures.find((f) => f.key === key),
    text = el('p', { class: 'front-text' });
  const px = choose(
    'performance',
    'x',
    measures.map((f) => [f.key, nameWithKind(f), f.how]),
    measures[0].key,
    () => again(),
  );
  const py = choose(
    'against',
    'y',
    ys.map((f) => [f.key, f.name, f.how]),
    ys[0].key,
    () => again(),
  );
  const spec = () => ({
    label: `${by(py.value).name} over ${by(px.value).name}`,
    x: by(px.value),
    y: by(py.value),
    rows: page.rows(),
    chosen: page.chosen,
    choose: page.choose,
    tell: (m) =>
      [
        ...new Set([
          figures[0],
          by(py.value),
          by(px.value),
          ...figures.filter((f) =>
            ['watts_per_host', 'saturation.0', 'saturation.1', 'switches', 'cables'].includes(f.key),
          ),
        ]),
      ].map((f) => `${f.name}: ${shown(f, m)}`),
  });
  const picture = pareto(spec());
  const again = () => {
    picture.update(spec());
    text.textContent = `Not beaten in both: ${
      frontOf(page.rows(), by(px.value), by(py.value))
        .map((m) => m.series)
        .join(', ') || 'none has both figures'
    }.`;
  };
  page.onChange(again);
  again();
  return section(
    'trade-off',
    'Cost and performance',
    card(
      el('div', { class: 'controls' }, px.node, py.node),
      familyKeys(data.members, page.hidden, page.changed),
      text,
      picture.node,
      el(
        'div',
        { class: 'plot-head' },
        quiet(
          'On the line: not beaten by another design. Shaded: beaten. A dotted ring: chosen for the comparison. Choose a mark to compare it; a name in the key leaves a family out of this page.',
        ),
        picture.save,
      ),
    ),
    card(
      el('h3', {}, 'Not beaten, by each measure'),
      quiet(
        `For each measure, the designs that no other one beats in ${figures[0].says} and this measure together; the cheapest first.`,
      ),
      notBeaten(data, figures, measures, page),
    ),
  );
}

// For every measure of performance: who is best, and who is not beaten.
function notBeaten(data, figures, measures, page) {
  const columns = [
    { key: 'measure', name: 'measure', whole: (r) => r.pattern, class: () => 'wrap' },
    { key: 'kind', name: 'obtained' },
    { key: 'best', name: 'best value', number: true },
    { key: 'front', name: 'not beaten, with what they have of it', class: () => 'wrap' },
  ];
  const rows = () =>
    measures.map((f) => {
      const front = frontOf(page.rows(), f, figures[0]);
      return {
        measure: f.name,
        pattern: f.whole,
        kind: f.kind,
        best: front.length ? shown(f, front.at(-1)) : '–',
        front: front.map((m) => `${m.series} (${shown(f, m)})`).join('; ') || '–',
      };
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
  const box = (m) =>
    el(
      'span',
      {},
      el('input', {
        type: 'checkbox',
        'aria-label': `compare ${m.series}`,
        'data-key': m.key,
        checked: page.chosen.has(m.key),
        onchange: () => page.choose(m.key),
      }),
      el('span', { class: 'printed' }, page.chosen.has(m.key) ? 'yes' : 'no'),
    );
  const columns = [
    { key: 'series', name: 'design', class: () => 'nowrap' },
    { key: 'compared', name: 'compare', screen: true, text: box, order: (m) => (page.chosen.has(m.key) ? 0 : 1) },
    ...figures.map((f) => ({
      key: f.key,
      name: f.name,
      kind: f.kind,
      title: f.how,
      number: true,
      screen: ['spare_host_ports', 'ports_in_use', 'switch_cables'].includes(f.key), // too wide for paper
      csv: !f.main,
      text: (m) => shown(f, m),
    })),
    {
      key: 'proof',
      name: 'routing proved',
      kind: 'proved',
      title: 'Delivery, and freedom of loops and deadlocks, for all pairs of hosts.',
      text: statusOf,
      order: statusOf,
      class: (m) => (m.proved === false ? 'no' : ''),
    },
    { key: 'routing', name: 'routing' },
    { key: 'vc', name: 'VC scheme', screen: true, text: (m) => m.vc ?? '–' },
    { key: 'spec', name: data.wish.rails > 1 ? 'fabric of one rail' : 'fabric', class: () => 'wrap spec' },
    data.wish.rails > 1 && {
      key: 'whole_spec',
      name: 'fabric of all rails',
      text: (m) => m.whole_spec ?? '–',
      class: () => 'wrap spec',
    },
  ].filter(Boolean);
  const rows = () =>
    page.rows().map((m) => ({
      ...m,
      ...Object.fromEntries(figures.map((f) => [f.key, f.value(m) ?? null])),
      proof: statusOf(m),
      compared: page.chosen.has(m.key) ? 'yes' : 'no',
    }));
  const made = table('designs', columns, rows());
  page.onChange(() => keepFocus(made, () => made.update(columns, rows())));
  return section(
    'designs',
    'All designs',
    quiet(
      `The cheapest first; a column's name sorts. Below it stands how its figures were obtained: point at it, or see Where the figures come from.${data.wish.rails > 1 ? ' Sizes, costs and power are of all rails; all else is of one.' : ''} Every design has exactly the wished hosts.`,
      el('span', { class: 'printed' }, ' On paper some columns are left out, which the page has.'),
    ),
    card(made),
  );
}

function comparison(data, figures, page) {
  const texts = [
    ['routing proved', statusOf],
    ['routing', (m) => m.routing],
    ['VC scheme', (m) => m.vc ?? '–'],
    ['fabric', (m) => m.spec],
  ];
  const made = comparisonTable(figures, texts),
    choices = el('div', { class: 'choices', role: 'group', 'aria-label': 'designs to compare' });
  const fill = () => {
    keepFocus(choices, () =>
      choices.replaceChildren(
        ...page.rows().map((m) =>
          el(
            'label',
            { class: 'choice' },
            el('input', {
              type: 'checkbox',
              'data-key': m.key,
              checked: page.chosen.has(m.key),
              onchange: () => page.choose(m.key),
            }),
            el('span', {}, m.series),
          ),
        ),
      ),
    );
    made.update(page.rows().filter((m) => page.chosen.has(m.key)));
  };
  fill();
  page.onChange(fill);
  return section('compare', 'Comparison', card(choices, made.node));
}

// ---- the page

// What the reader has chosen: families that are left out, designs that are compared.
function choices(data, figures, measures) {
  const keys = new Set(data.members.map((m) => m.key)),
    listeners = [],
    known = (k) => keys.has(k);
  const front = measures.length ? frontOf(data.members, measures[0], figures[0]) : [];
  const usual = [...new Set([...front, ...data.members])]
    .slice(0, Math.max(2, Math.min(3, front.length)))
    .map((m) => m.key)
    .join(' ');
  const hidden = new Set(state.list('hide').filter(known)),
    chosen = new Set((state.get('compare') || usual).split(' ').filter(known));
  const changed = () => listeners.forEach((fn) => fn());
  return {
    hidden,
    chosen,
    changed,
    onChange: (fn) => listeners.push(fn),
    rows: () => data.members.filter((m) => !hidden.has(m.key)),
    choose(key) {
      if (chosen.has(key)) chosen.delete(key);
      else chosen.add(key);
      state.set('compare', [...chosen].join(' ') || 'none', usual);
      changed();
    },
  };
}

// Characters that change the direction of writing would show a sentence in another order: each becomes a mark.
const TURNING = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g;
const clean = (value) =>
  typeof value === 'string'
    ? value.replace(TURNING, '\ufffd')
    : Array.isArray(value)
      ? value.map(clean)
      : value && typeof value === 'object'
        ? Object.fromEntries(Object.entries(value).map(([key, of]) => [key, clean(of)]))
        : value;

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
  [...data.members]
    .sort((a, b) => (a.series < b.series ? -1 : 1))
    .forEach((m, i) => {
      m.look = { colour: i % NUM_COLOURS, shape: i };
    });
}

export const isDesigns = (data) => data.designs !== undefined;

// Returns the nodes of the page.
export function designsPage({ designs, ikat }) {
  const data = clean(designs);
  prepare(data);
  const figures = figuresOf(data),
    measures = performanceOf(data, figures),
    page = choices(data, figures, measures);
  const all = () => [
    ['Summary', summary(data, figures, measures)],
    ['Cost and performance', tradeOff(data, figures, measures, page)],
    ['All designs', allDesigns(data, figures, page)],
    ['Comparison', comparison(data, figures, page)],
    ['Costs', costs(data, figures, page)],
    ['Floor plans', floorPlans(data, page)],
    ['Growth', growth(data, page)],
    ['Workloads', workloads(data, figures, page)],
    ['Failures', failures(data, page)],
    ['Sources', sources(data, figures)],
    ['Do not fit', misfits(data)],
  ];
  const none = () => [
    ['Summary', nothingFits(data)],
    ['Do not fit', misfits(data)],
  ];
  const parts = (data.members.length ? all() : none()).filter(([, node]) => node);
  document.title = `Networks for ${hostsText(data)}: ikat design`;
  return {
    head: header(data, ikat),
    items: parts.map(([name, node]) => [node.id, name]),
    sections: parts.map(([, node]) => node),
  };
}
