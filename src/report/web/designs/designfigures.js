// SPDX-License-Identifier: Apache-2.0
// The figures of designs: { key, name, says: in a sentence, kind: how it was obtained, how: what exactly it is, value(design), text(value),
// tick(value): on an axis, better: 1 = more is, -1 = less is, 0 = neither, main: a column of the table of all designs }.
import { shortSpecs } from '../axes.js';
import { count, loadText, percent, plural, rate, shortTime, time } from '../format.js';

const LONGEST = 44; // letters of a pattern or workload in the name of a figure

const whole = (x) => count(Math.round(x));
const digits = (n) => (x) => x.toLocaleString('en-US', { minimumFractionDigits: n, maximumFractionDigits: n });
export const shown = (f, m) => { const v = f.value(m); return Number.isFinite(v) ? f.text(v) : '–'; };
export const nameWithKind = (f) => (f.short === f.kind ? f.name : `${f.name} (${f.kind})`);
export const brief = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

const plain = (key, name, kind, text, better, how) => ({ key, name, says: name, kind, text, tick: (v) => count(+v.toPrecision(6)), better, how, value: (m) => m[key] });

// What the figures of the parts' prices are obtained by.
const fromPrices = (data) => (data.parts.some((p) => p.assumed) ? (data.parts.every((p) => p.assumed) ? 'assumed prices' : 'prices, some assumed') : 'prices');

function costFigures(data) {
  const kind = fromPrices(data), money = data.currency;
  const part = (key, name, what) => ({ ...plain(key, name, kind, whole, -1, `${what}, each at the price in the list of prices; of all rails.`), cost: true });
  return [
    { ...plain('cost_per_host', `cost per host, ${money}`, kind, whole, -1, 'The whole cost divided by the hosts.'), says: 'cost per host', main: true },
    { ...plain('watts_per_host', 'watts per host', kind, digits(1), -1, 'Typical power of all switches, adapters and cables, as the list of prices has it, divided by the hosts.'), says: 'power per host', main: true },
    part('cost_switches', `switches, ${money}`, 'All switches, bought with the wished number of ports'),
    part('cost_adapters', `adapters, ${money}`, 'The ports of hosts: one adapter for each'),
    part('cost_copper_cables', `copper cables, ${money}`, data.floors ? 'Cables that copper reaches, by the floor plan' : 'Short cables: those of hosts'),
    part('cost_optical_cables', `optical cables, ${money}`, data.floors ? 'Longer cables, with the transceivers at both ends' : 'Long cables: all between switches, with the transceivers at both ends'),
    part('cost', `whole cost, ${money}`, 'Switches, adapters and cables'),
    { ...plain('watts', 'whole power, W', kind, whole, -1, 'Of all switches, adapters and cables.'), cost: true },
  ];
}

export const isRange = (data) => data.wish.hosts_max > data.wish.hosts;
// "4,000 hosts", "4,000 to 5,000 hosts".
export const hostsText = (data) => (isRange(data) ? `${count(data.wish.hosts)} to ${plural(data.wish.hosts_max, 'host')}` : plural(data.wish.hosts, 'host'));

function sizeFigures(data) {
  const of = data.wish.rails > 1 ? ' Of all rails.' : '';
  const size = (key, name, better, how) => ({ ...plain(key, name, 'counted', whole, better, how + of), main: true });
  return [
    isRange(data) && { ...plain('hosts', 'hosts', 'counted', whole, 0, `Of the wished ${hostsText(data)}, the number that ${data.wish.goal === 'switches' ? 'has the fewest switches' : 'costs least'} per host.`), main: true },
    size('switches', 'switches', -1, 'Of the network that is built.'), size('ports_in_use', 'ports in use', -1, 'Ports of switches with a cable.'),
    size('spare_host_ports', 'spare host ports', 0, 'Ports for hosts that stay empty.'), size('cables', 'cables', -1, 'With those of hosts.'),
    size('switch_cables', 'cables between switches', -1, 'Without those of hosts.'),
    data.wish.goal === 'cost' && { ...size('fewest_switches', 'fewest switches', -1, 'Of any member of the family that fulfils the wish: the one that is shown was chosen by cost.'), main: false },
  ].filter(Boolean);
}

function networkFigures(data) {
  const of = data.wish.rails > 1 ? ' Of one rail.' : '';
  const computed = (key, name, text, better, how) => ({ ...plain(key, name, 'computed', text, better, how + of), main: true });
  return [
    computed('diameter', 'diameter', whole, -1, 'The longest of the shortest ways, in cables between switches, over all pairs of switches with hosts.'),
    computed('mean_hops', 'mean hops', digits(2), -1, 'Length of the shortest ways, in cables between switches, over all pairs of hosts.'),
    { ...plain('vcs', 'VCs', 'proved', whole, -1, `Virtual channels with which freedom of deadlocks was proved, for all pairs of hosts.${of}`), main: true },
    data.members.some((m) => m.bisection_per_host !== null) && computed('bisection_per_host', 'bisection per host', digits(3), 1, 'Cables that a partition into two halves cuts, per host: the smallest that was found.'),
  ].filter(Boolean);
}

const patternName = (p) => (p === 'uniform' ? 'uniform traffic' : p === 'worst' ? 'worst permutation' : brief(p));
const asShare = { text: (v) => percent(v), tick: loadText, better: 1, share: true };
function patternFigures(data) {
  return data.patterns.map((p, k) => ({ key: `saturation.${k}`, name: `saturation: ${patternName(p)}`, says: `the predicted saturation under ${p === 'worst' ? 'an adversarial permutation' : patternName(p)}`, whole: p, kind: 'predicted', ...asShare, main: true, value: (m) => m.saturation[k]?.load,
    how: `${p === 'worst' ? 'An adversarial permutation. ' : ''}The load, as a fraction of what hosts can send, at which the fullest channel is full under the routing that is shown; from channel loads, without simulation. Pattern: ${p}.${data.wish.rails > 1 ? ' Of one rail.' : ''}` }));
}

const TIMES = [
  ['simulated_ns', 'simulated', 'simulated', 'Simulated packet by packet until the last byte is delivered, with packets of 4 KiB and all other defaults.'],
  ['phases_ns', 'by phases', 'estimate', 'The fullest channel of each phase, one phase after the other, and the latency of the cables on a way. Without headers, waiting in switches and computation.'],
  ['at_least_ns', 'at least', 'bound', 'A bound from below: how long the fullest channel sends all bytes of all phases (where the routing is adaptive, the fullest channel of a host).'],
];
function workloadFigures(data) {
  const short = shortSpecs(data.workloads), one = data.workloads.length === 1;
  const says = { simulated_ns: 'the simulated time', phases_ns: 'the time by phases (an estimate)', at_least_ns: 'the time at least (a bound)' };
  return data.workloads.flatMap((w, k) => TIMES.map(([key, name, kind, how]) => ({ key: `${key}.${k}`, name: `${brief(short.get(w))}, ${name}`, says: `${says[key]} of ${one ? 'the workload' : brief(short.get(w))}`, whole: w, short: name, workload: k, kind, text: time, tick: shortTime, better: -1, main: key !== 'at_least_ns', value: (m) => m.workloads[k]?.[key], how: `${how} Workload: ${w}.` })))
    .filter((f) => data.members.some((m) => Number.isFinite(f.value(m))));
}

// What fails at once: "2 % of cables", "2 trays".
const PARTS = { cables: 'cable', switches: 'switch', racks: 'rack', trays: 'tray' };
export const lossText = (l) => (l.share === null ? plural(l.number, PARTS[l.what]) : `${loadText(l.share)} of ${l.what}`);
const wholeLoss = (l) => (l.share === null ? lossText(l) : `${loadText(l.share)} of the ${l.what === 'cables' ? 'cables between switches' : l.what}`);
// Of all: "2 % or 10 % of the cables between switches, 1 rack".
function allLosses(losses) {
  const shares = losses.filter((l) => l.share !== null), kinds = [...new Set(shares.map((l) => l.what))];
  return list([...kinds.map((what) => {
    const those = shares.filter((l) => l.what === what);
    return `${[...those.slice(0, -1).map((l) => loadText(l.share)), wholeLoss(those.at(-1))].join(' or ')}`;
  }), ...losses.filter((l) => l.share === null).map(lossText)], 'or');
}

function failureFigures(data) {
  return data.losses.flatMap((l, k) => {
    const draws = `${plural(data.draws, 'random draw')} of ${wholeLoss(l)}`, of = (key) => (m) => m.failures[k]?.[key], lost = `${lossText(l)} failed`;
    return [
      { key: `left.${k}`, name: `uniform traffic, ${lost}`, says: `the predicted saturation under uniform traffic with ${lost}`, kind: 'predicted', ...asShare, main: true, value: of('saturation'), how: `Mean over ${draws}, with the routing made again for each damaged network and proved there; pairs without a path send nothing.` },
      { key: `least.${k}`, name: `uniform traffic, ${lost}, least draw`, says: `the least saturation under uniform traffic with ${lost}`, kind: 'predicted', ...asShare, value: of('saturation_least'), how: `The least over ${draws}.` },
      { key: `pairs.${k}`, name: `pairs connected, ${lost}`, says: `the share of pairs that stay connected with ${lost}`, kind: 'computed', ...asShare, text: (v) => percent(v, 2), value: of('connected_least'), how: `Share of the pairs of hosts that some path connects: the least over ${draws}. Hosts without any cable left are in no pair.` },
    ];
  });
}

// All that this page has, in the order of its tables. main: a column of the table of all designs; cost: of that of costs.
export const figuresOf = (data) => [...costFigures(data), ...workloadFigures(data), ...patternFigures(data), ...failureFigures(data), ...sizeFigures(data), ...networkFigures(data)];

// What the performance of designs can be judged by, the usual one first: the first workload, else uniform traffic.
export function performanceOf(data, figures) {
  const known = figures.filter((f) => (f.workload !== undefined || /^(saturation|left|least|pairs)\./.test(f.key)) && data.members.some((m) => Number.isFinite(f.value(m))));
  const all = (f) => data.members.every((m) => Number.isFinite(f.value(m)));
  const first = known.find((f) => f.workload === 0 && all(f)) ?? known.find((f) => f.workload === 0) ?? known[0];
  return first ? [first, ...known.filter((f) => f !== first)] : [];
}

// ---- the wish, in sentences

export const list = (texts, word = 'and') => (texts.length < 2 ? texts.join('') : `${texts.slice(0, -1).join(', ')} ${word} ${texts.at(-1)}`);

export function wishText(data) {
  const { hosts, radix, rails, rate_bps: bps, oversubscription: over } = data.wish;
  const shown = `with the ${data.wish.goal === 'switches' ? 'fewest switches' : 'least cost'} per host`;
  return [`${hostsText(data)} ${hosts === 1 && !isRange(data) ? 'is' : 'are'} to be connected by switches with at most ${radix} ports of ${rate(bps)}.`,
    rails > 1 && `Each host has ${rails} ports, each to a network of its own (a rail): the ${rails} networks are equal, and together they give a host ${rate(rails * bps)}.`,
    isRange(data) ? `Of each family the number of hosts ${shown} is shown, so that designs differ in their hosts: compare what is per host.` : data.wish.goal === 'switches'
      ? 'Of each family the member with the fewest switches is shown.'
      : 'Of each family the member that costs least is shown.',
    over > 1 ? `A leaf switch may have ${over} times as many hosts as uplinks.` : 'Uniform traffic at full load is to fit (full bandwidth).',
    data.workloads.length > 0 && `The ${data.workloads.length > 1 ? 'workloads are' : 'workload is'} ${list(data.workloads)}.`,
    data.members.length > 0 && data.losses.length > 0 && `To see what failures do, ${allLosses(data.losses)} ${data.losses.length === 1 && data.losses[0].number === 1 ? 'was' : 'were'} drawn at random, ${data.draws} times${data.losses.length > 1 ? ' each' : ''}.`,
    data.members.length > 0 && priceText(data)].filter(Boolean).join(' ');
}

// Families of which a member that costs more has fewer switches; '' = none.
export function fewerText(data) {
  const fewer = data.members.filter((m) => m.fewest_switches !== null && m.fewest_switches * m.hosts < m.switches * m.fewest_switches_hosts);
  const of = (switches, hosts) => (isRange(data) ? `${count(switches)} for ${plural(hosts, 'host')}` : count(switches));
  return fewer.length ? `Members were chosen by cost. --choose switches gives fewer switches${isRange(data) ? ' per host' : ''}: ${list(fewer.map((m) => `${m.series} ${of(m.fewest_switches, m.fewest_switches_hosts)} in place of ${of(m.switches, m.hosts)}`))}.` : '';
}

export function priceText(data) {
  if (data.prices === null) return `Costs in ${data.currency} are sums of round numbers that ikat's authors assumed, from no source: replace them by quotes before deciding.`;
  const assumed = data.parts.filter((p) => p.assumed).map((p) => `${p.part}s`.replace('switchs', 'switches'));
  return `Costs in ${data.currency} are sums of the prices in ${data.prices}${assumed.length ? `; those of ${list(assumed)} are round numbers that ikat's authors assumed, from no source` : ''}.`;
}
