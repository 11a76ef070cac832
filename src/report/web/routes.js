// SPDX-License-Identifier: Apache-2.0
// The paths of a pair of hosts: from the routes that the page holds, or the command that prints one.
import { count, plural } from './format.js';
import { partsOf, shortNames } from './names.js';

const quoted = (text) => `'${text.replaceAll("'", "'\\''")}'`;

// A host as --path takes it: by GUID, by its name, or by its number where others have that name.
function pathEnd(drawing, host) {
  const names = drawing.names.slice(drawing.switches), [name, guid] = partsOf(names[host]);
  return guid ? `0x${guid}` : quoted(names.filter((n) => n === name).length > 1 ? `host${host}` : name);
}

export function routeCommand(data, curve, src, dst) {
  const params = data.points.find((p) => p.plan === curve.plan && p.fabric === curve.fabric)?.params ?? {};
  // Failures are drawn with the first seed, the routing with that of the plan.
  const { setup_seed = 1, routing_seed = setup_seed } = params, { spec, drawing } = data.fabrics[curve.fabric];
  const damaged = Number(routing_seed) !== Number(setup_seed) && /[:,]fail(_switches)?=/.test(spec) && !/[:,]fail_seed=/.test(spec);
  const fabric = damaged ? `${spec},fail_seed=${setup_seed}` : spec;
  const more = [params.vc && params.vc !== 'auto' && ` --vc ${quoted(params.vc)}`, Number(params.vcs) > 0 && ` --vcs ${params.vcs}`, Number(routing_seed) !== 1 && ` --seed ${routing_seed}`].filter(Boolean).join('');
  return `ikat route ${quoted(fabric)} --routing ${quoted(data.plans[curve.plan].routing)}${more} --path ${pathEnd(drawing, src)} ${pathEnd(drawing, dst)}`;
}

// Where channels lead: channel → [node, its port, node, its port].
const known = new WeakMap();
function endsOf(drawing) {
  if (!known.has(drawing)) known.set(drawing, new Map(drawing.links.flatMap(([c, a, ap, o, b, bp]) => [[c, [a, ap, b, bp]], [o, [b, bp, a, ap]]])));
  return known.get(drawing);
}

// { channels: Set of all that packets of the pair may take, with those of the hosts; told: in words; single }, or { why }.
export function pathOf(data, curve, src, dst) {
  const routes = data.routes?.[curve.plan], { drawing } = data.fabrics[curve.fabric];
  if (!routes?.lists) return { why: routes?.why ?? 'The page has no routes of this plan.' };
  const ends = endsOf(drawing), hosts = [src + drawing.switches, dst + drawing.switches];
  const list = routes.lists[routes.of[src]?.[dst] - 1];
  if (src === dst || !list) return { why: src === dst ? 'A host does not send to itself through the fabric.' : 'No packet of this pair is delivered.' };
  const channels = new Set(list);
  if (!routes.ends) for (const [c, [from, , to]] of ends) if ((from === hosts[0] && to < drawing.switches) || (to === hosts[1] && from < drawing.switches)) channels.add(c);
  return { channels, hosts, ...inWords(drawing, ends, channels, hosts) };
}

// Steps in their order where there is one way only; else how many channels there are to choose from.
function inWords(drawing, ends, channels, [from, to]) {
  const short = shortNames(drawing), out = new Map();
  for (const c of channels) { const [a] = ends.get(c); out.set(a, [...(out.get(a) ?? []), c]); }
  const single = [...out.values()].every((list) => list.length === 1);
  const inner = [...channels].filter((c) => ends.get(c)[0] < drawing.switches && ends.get(c)[2] < drawing.switches).length;
  if (!single) return { single, told: `${short[from]} to ${short[to]}: several paths; packets may take any of ${plural(inner, 'channel')} between switches.` };
  const steps = [short[from]];
  for (let node = from; out.has(node) && steps.length <= channels.size;) {
    const [, port, next] = ends.get(out.get(node)[0]);
    steps.push(node < drawing.switches ? `port ${port} → ${short[next]}` : `→ ${short[next]}`);
    node = next;
  }
  return { single, told: `${steps.join(' ')}: ${count(inner)} ${inner === 1 ? 'hop' : 'hops'} between switches.` };
}
