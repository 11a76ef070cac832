// SPDX-License-Identifier: Apache-2.0
// The later sections of the page of `ikat design`: costs, workloads, failures, sources, and what does not fit.
import { barKeys, bars } from '../bars.js';
import { brief, list, lossText, shown, wishText } from './designfigures.js';
import { card, el } from '../dom.js';
import { count, percent, plural, shortTime, time } from '../format.js';
import * as state from '../state.js';
import { numbers, table } from '../tables.js';
import { seriesColour } from '../theme.js';

export const section = (id, title, ...children) => el('section', { id }, el('h2', {}, title), ...children);
export const quiet = (...text) => el('p', { class: 'quiet' }, ...text);
export const firstBig = (text) => text[0].toUpperCase() + text.slice(1);

// ---- costs

const PARTS = [
  ['cost_switches', 'switches', 'switch', 0],
  ['cost_adapters', 'adapters (ports of hosts)', 'adapter', 1],
  ['cost_copper_cables', 'copper cables', 'copper cable', 2],
  ['cost_optical_cables', 'optical cables', 'optical cable', 4],
];
const unitsOf = (m) => {
  const hosts = m.cables - m.switch_cables;
  return {
    switch: m.switches,
    adapter: hosts,
    'copper cable': m.floor?.copper_cables ?? hosts,
    'optical cable': m.floor?.optical_cables ?? m.switch_cables,
  };
};

// Bars of four parts; value(m, part) is per host.
function stacked(label, axis, page, value, format) {
  const spec = () => {
    const rows = page.rows().map((m) => {
      let from = 0;
      const parts = PARTS.map(([key, name, part, colour]) => {
        const more = value(m, key, part),
          made = { from, to: from + more, colour: () => seriesColour(colour), title: `${name}: ${format(more)}` };
        from += more;
        return made;
      });
      return { name: m.series, title: m.spec, value: el('strong', {}, format(from)), parts };
    });
    return { label, axis, format, max: Math.max(0, ...rows.map((r) => r.parts.at(-1).to)), rows };
  };
  const made = bars(
    spec(),
    PARTS.map(([, name, , colour]) => [name, () => seriesColour(colour)]),
  );
  page.onChange(() => made.update(spec()));
  return made;
}

export function costs(data, figures, page) {
  const whole = (x) => count(Math.round(x)),
    unit = Object.fromEntries(data.parts.map((p) => [p.part, p]));
  const cost = stacked('Cost per host', `${data.currency} per host`, page, (m, key) => m[key] / m.hosts, whole);
  const power = stacked(
    'Power per host',
    'watts per host',
    page,
    (m, key, part) => (unitsOf(m)[part] * unit[part].watts) / m.hosts,
    (x) => count(+x.toFixed(1)),
  );
  const of = figures.filter((f) => f.cost || f.key === 'cost_per_host');
  const source = () => ({
    columns: [
      { key: 'series', name: 'design', class: () => 'nowrap' },
      ...of.map((f) => ({
        key: f.key,
        name: f.name,
        kind: f.kind,
        title: f.how,
        number: true,
        text: (m) => shown(f, m),
      })),
    ],
    rows: page.rows(),
  });
  const behind = numbers('costs', source);
  page.onChange(() => behind.refresh());
  return section(
    'costs',
    'Costs and power',
    quiet(
      `What is bought, by switches, adapters and length of cables. ${
        data.floors
          ? 'Cables are copper as far as that reaches by the floor plans, and optical beyond.'
          : 'Nothing is known of where racks stand: cables of hosts are short (copper), all others long (optical).'
      } Racks, cooling, spare parts, licences and work are not in the sum.`,
    ),
    card(
      barKeys(PARTS.map(([, name, , colour]) => [name, () => seriesColour(colour)])),
      el('div', { class: 'plot-head' }, el('h3', {}, `Cost per host, ${data.currency}`), cost.save),
      cost.node,
      el('div', { class: 'plot-head' }, el('h3', {}, 'Power per host, W'), power.save),
      power.node,
      behind,
    ),
  );
}

// ---- workloads and failures

const TIMES = [
  ['at least (bound)', () => seriesColour(0)],
  ['more, phase by phase (estimate)', () => seriesColour(1)],
];
export function workloads(data, figures, page) {
  if (!data.workloads.length || !page.rows().some((m) => m.workloads.length)) return null;
  const charts = data.workloads.map((w, k) => {
    const spec = () => {
      const rows = page
        .rows()
        .filter((m) => m.workloads[k])
        .map((m) => {
          const { at_least_ns: least, phases_ns: phases, simulated_ns: simulated } = m.workloads[k];
          if (phases === null) return { name: m.series, value: 'not known', none: true, parts: [] };
          return {
            name: m.series,
            title: m.spec,
            value: [el('strong', {}, time(phases)), simulated === null ? '' : ` simulated ${time(simulated)}`],
            parts: [
              {
                from: 0,
                to: Math.min(least, phases),
                colour: () => seriesColour(0),
                title: `at least: ${time(least)}`,
              },
              {
                from: Math.min(least, phases),
                to: phases,
                colour: () => seriesColour(1),
                title: `by phases: ${time(phases)}`,
              },
            ],
          };
        });
      return {
        label: `Completion of ${brief(w)}`,
        axis: 'time until completion',
        format: shortTime,
        max: Math.max(0, ...page.rows().map((m) => m.workloads[k]?.phases_ns ?? 0)),
        rows,
      };
    };
    const made = bars(spec(), TIMES),
      of = figures.filter((f) => f.workload === k);
    const source = () => ({
      columns: [
        { key: 'series', name: 'design', class: () => 'nowrap' },
        ...of.map((f) => ({
          key: f.key,
          name: f.short,
          kind: f.kind,
          title: f.how,
          number: true,
          text: (m) => shown(f, m),
        })),
      ],
      rows: page.rows().map((m) => ({ ...m, ...Object.fromEntries(of.map((f) => [f.key, f.value(m) ?? null])) })),
    });
    const behind = numbers(`workload-${k}`, source, null, made.save);
    page.onChange(() => {
      made.update(spec());
      behind.refresh();
    });
    return card(el('h3', {}, w), barKeys(TIMES), made.node, behind);
  });
  return section(
    'workloads',
    'Workloads',
    quiet(
      'How long each design takes at least, and phase after phase. Both count bytes alone, without headers, waiting in switches and computation.',
      data.wish.rails > 1 && ` Each of the ${data.wish.rails} rails carries an equal share of every message.`,
    ),
    charts,
  );
}

export function failures(data, page) {
  if (!data.losses.length || !data.members.some((m) => m.failures.length)) return null;
  const columns = [
    { key: 'series', name: 'design', class: () => 'nowrap' },
    {
      key: 'share',
      name: 'failed',
      kind: 'given',
      title: 'Cables between switches, switches, racks or trays. A rack takes its switches and the cables of its hosts with it, a tray the cables in it.',
      number: true,
      text: lossText,
    },
    {
      key: 'failed_cables',
      name: 'cables',
      kind: 'counted',
      title: 'Cables between switches: mean of the draws.',
      number: true,
      text: (r) => count(Math.round(r.failed_cables)),
    },
    data.losses.some((l) => l.what !== 'cables') && {
      key: 'lost_hosts',
      name: 'hosts lost',
      kind: 'counted',
      title: 'Hosts without any cable left, which are in no pair: mean of the draws.',
      number: true,
      text: (r) => (r.lost_hosts % 1 ? r.lost_hosts.toFixed(1) : count(r.lost_hosts)),
    },
    {
      key: 'connected',
      name: 'pairs connected',
      kind: 'computed',
      title: 'Share of the pairs of hosts that some path connects: mean of the draws.',
      number: true,
      text: (r) => percent(r.connected, 4),
    },
    {
      key: 'connected_least',
      name: 'least',
      kind: 'computed',
      title: 'The least of the draws.',
      number: true,
      text: (r) => percent(r.connected_least, 4),
    },
    {
      key: 'mean_hops',
      name: 'mean hops',
      kind: 'computed',
      title: 'Length of the shortest ways between connected pairs.',
      number: true,
      text: (r) => (r.mean_hops === null ? '–' : r.mean_hops.toFixed(2)),
    },
    {
      key: 'whole',
      name: 'uniform saturation, nothing failed',
      kind: 'predicted',
      title: 'Of the whole network.',
      number: true,
      text: (r) => percent(r.whole),
    },
    {
      key: 'saturation',
      name: 'uniform saturation left',
      kind: 'predicted',
      title: 'Mean of the draws; pairs without a path send nothing.',
      number: true,
      text: (r) => percent(r.saturation),
    },
    {
      key: 'saturation_least',
      name: 'least',
      kind: 'predicted',
      title: 'The least of the draws.',
      number: true,
      text: (r) => percent(r.saturation_least),
    },
    {
      key: 'vcs',
      name: 'VCs',
      kind: 'proved',
      title: 'Virtual channels with which freedom of deadlocks was proved: the most of the draws.',
      number: true,
      text: (r) => (r.vcs ? count(r.vcs) : '–'),
    },
    { key: 'routed', name: 'rerouted by' },
    { key: 'state', name: 'proved', kind: 'proved', class: (r) => (r.state === 'yes' ? '' : 'no') },
  ].filter(Boolean);
  const rows = () =>
    page.rows().flatMap((m) =>
      m.failures.map((f) => ({
        ...f,
        series: m.series,
        whole: m.saturation[0]?.load ?? null,
        routed: f.fell_back ? `${f.routing}, ${f.fallback}` : f.routing,
        state: f.refused ? `REFUSED: ${plural(f.refused, 'draw')}` : f.proved ? 'yes' : 'NOT PROVED',
      })),
    );
  const made = table('failures', columns, rows());
  page.onChange(() => made.update(columns, rows()));
  return section(
    'failures',
    'Failures',
    quiet(
      `What is left when ${data.losses.every((l) => l.what === 'cables') ? 'cables between switches' : 'parts'} fail: mean and least of ${plural(data.draws, 'random draw')}. The routing is made again for each damaged network and proved on it.${data.wish.rails > 1 ? ' Failures are those in one rail: a pair of hosts that it does not connect still has the others.' : ''}`,
    ),
    card(made),
  );
}

// What stands in the way where no family fits: which comes nearest, and who would fit with larger switches.
export function nothingFits(data) {
  const { hosts, radix } = data.wish,
    members = data.infeasible.filter((m) => m.nearest !== null),
    most = Math.max(...members.map((m) => m.most_hosts)),
    near = members.find((m) => m.most_hosts === most);
  const needed = data.infeasible.filter((m) => m.radix_needed !== null),
    least = Math.min(...needed.map((m) => m.radix_needed)),
    larger = needed.filter((m) => m.radix_needed === least).map((m) => m.series);
  return section(
    'summary',
    'Summary',
    card(
      el('p', { class: 'wish' }, wishText(data)),
      el(
        'p',
        { class: 'wish' },
        `No family reaches ${plural(hosts, 'host')} with ${radix}-port switches.`,
        near && ` The nearest is ${near.series}, with at most ${plural(most, 'host')}: ${near.nearest}.`,
        larger.length > 0 && ` With switches of ${least} ports ${list(larger)} would reach them.`,
      ),
    ),
  );
}

const GROWTH = [
  ['switches_added', 'switches added', 'Switches of the design beyond those that stand.'],
  ['switches_removed', 'switches removed', 'Switches that stand beyond those of the design.'],
  ['cables_pulled', 'new cables', 'Cables between switches that are not there yet.'],
  ['cables_moved', 'cables moved or removed', 'Existing cables between switches that do not stay: as a search found it.'],
  ['cables_moved_least', 'at least', 'Of these cables, what no matching of the switches can avoid.'],
  ['cables_staying', 'cables staying', 'Existing cables between switches that stay.'],
  ['hosts_moved', 'hosts moved', 'Hosts that change their switch.'],
  ['hosts_moved_least', 'hosts, at least', 'Of these hosts, what no matching of the switches can avoid.'],
];
// Ranges of numbers, first and last of each in turn.
function ranges(values) {
  const parts = [];
  for (let i = 0; i < values.length; i += 2)
    parts.push(values[i] === values[i + 1] ? `${values[i]}` : `${values[i]}–${values[i + 1]}`);
  return parts.length > 12 ? `${parts.slice(0, 12).join(', ')}, …` : parts.join(', ') || '–';
}

export function growth(data, page) {
  if (!data.members.some((m) => m.growth)) return null;
  const columns = [
    { key: 'series', name: 'design', class: () => 'nowrap' },
    ...GROWTH.map(([key, name, title]) => ({
      key,
      name,
      title,
      kind: key.endsWith('least') ? 'bound' : key.endsWith('moved') || key === 'cables_staying' ? 'search' : 'counted',
      number: true,
      text: (r) => count(r[key]),
    })),
    { key: 'moved', name: 'hosts that move, by number', class: () => 'wrap' },
  ];
  const rows = () =>
    page
      .rows()
      .filter((m) => m.growth)
      .map((m) => ({ ...m.growth, series: m.series, moved: ranges(m.growth.moved_hosts) }));
  const made = table('growth', columns, rows());
  page.onChange(() => made.update(columns, rows()));
  return section(
    'growth',
    'Growth',
    quiet(
      `What has to be done to make each design of ${data.wish.from}, which stands already. Its switches take the places of those of the design so that many cables stay.`,
      data.wish.rails > 1 && ` It is one of ${data.wish.rails} equal networks; switches and cables are counted in all.`,
    ),
    card(made),
  );
}

// ---- sources, and what does not fit

export function sources(data, figures) {
  const parts = [
    { key: 'part', name: 'part' },
    { key: 'price', name: `price, ${data.currency}`, number: true, text: (p) => count(+p.price.toFixed(2)) },
    { key: 'watts', name: 'watts', number: true, text: (p) => count(+p.watts.toFixed(2)) },
    {
      key: 'row',
      name: 'by the row',
      text: (p) =>
        p.ports === null
          ? 'of this rate'
          : p.times > 1
            ? `with ${p.ports} ports, in proportion to the ports`
            : `with ${p.ports} ports`,
    },
    {
      key: 'origin',
      name: 'source',
      class: () => 'wrap',
      text: (p) =>
        p.assumed
          ? "a round number that ikat's authors assumed; no source"
          : `${data.prices}${p.source ? `: ${p.source}` : ', which names no source'}`,
    },
  ];
  const how = [
    { key: 'name', name: 'figure', class: () => 'wrap' },
    { key: 'kind', name: 'obtained' },
    { key: 'how', name: 'what it is', class: () => 'wrap' },
  ];
  return section(
    'sources',
    'Where the figures come from',
    card(el('h3', {}, 'Prices'), table('prices', parts, data.parts)),
    card(el('h3', {}, 'Figures'), table('figures', how, figures)),
  );
}

// The members that come nearest, the largest first.
export function misfits(data) {
  if (!data.infeasible.length) return null;
  const rows = data.members.length
    ? data.infeasible
    : [...data.infeasible].sort((a, b) => b.most_hosts - a.most_hosts);
  const columns = [
    { key: 'series', name: 'family', class: () => 'nowrap' },
    {
      key: 'most_hosts',
      name: `most hosts with ${data.wish.radix} ports`,
      number: true,
      text: (r) => (r.most_hosts ? count(r.most_hosts) : 'none'),
    },
    { key: 'nearest', name: 'nearest member', class: () => 'wrap spec', text: (r) => r.nearest ?? '–' },
    {
      key: 'radix_needed',
      name: `ports needed for ${plural(data.wish.hosts, 'host')}`,
      number: true,
      text: (r) => (r.radix_needed === null ? 'more than 4,096' : count(r.radix_needed)),
    },
    { key: 'reason', name: 'why', class: () => 'wrap', text: (r) => firstBig(`${r.reason}.`) },
  ];
  return section('misfits', 'Families that do not fit', card(table('misfits', columns, rows)));
}
