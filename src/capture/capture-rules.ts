import type { AddressRange, Selection } from '../config/injection/captured-traffic.js';

/** What of a pod's TCP traffic goes through the proxy beside it. */
export interface CapturedTraffic {
  readonly includeInboundPorts: Selection<number>;
  /** Stay with whoever listens, also where all ports are included. */
  readonly excludeInboundPorts: readonly number[];
  readonly includeOutboundIpRanges: Selection<AddressRange>;
  readonly excludeOutboundIpRanges: readonly AddressRange[];
  readonly excludeOutboundPorts: readonly number[];
  /** Where the proxy takes what comes in. */
  readonly inboundPort: number;
  /** Where the proxy takes what the application sends. */
  readonly outboundPort: number;
  /** The proxy's own connections are not captured; it is known by its user. */
  readonly proxyUid: number;
}

export type AddressFamily = 'ipv4' | 'ipv6';

/**
 * Where the proxy calls its own application from; what comes from there is not captured again. The inbound clusters
 * that the control plane sends are bound to it (docs/reference/xds.md#names).
 */
export const INBOUND_SOURCE: Readonly<Record<AddressFamily, string>> = { ipv4: '127.0.0.6', ipv6: '::6' };

const LOOPBACK: Readonly<Record<AddressFamily, string>> = { ipv4: '127.0.0.0/8', ipv6: '::1/128' };
const HOST_BITS: Readonly<Record<AddressFamily, number>> = { ipv4: 32, ipv6: 128 };

const INBOUND = 'MESH_INBOUND';
const TO_INBOUND = 'MESH_IN_REDIRECT';
const OUTBOUND = 'MESH_OUTPUT';
const TO_OUTBOUND = 'MESH_REDIRECT';
/** How the chains are come to; these stand in chains that are not ours alone. */
const JUMPS = [`-A PREROUTING -p tcp -j ${INBOUND}`, `-A OUTPUT -p tcp -j ${OUTBOUND}`];

/**
 * The nat rules of one address family, as input for `iptables-restore --noflush`. Applied again they make the same
 * rules: chains of ours begin anew, and what leads to them is left out where it is in `present`.
 *
 * @param present what `iptables-save -t nat` says
 */
export function captureRules(family: AddressFamily, traffic: CapturedTraffic, present = ''): string {
  const existing = new Set(present.split('\n').map((line) => line.trim()));
  const jumps = JUMPS.filter((jump) => !existing.has(jump));
  const chains = [INBOUND, TO_INBOUND, OUTBOUND, TO_OUTBOUND].map((chain) => `:${chain} - [0:0]`);
  return [
    '*nat',
    ...chains,
    `-A ${TO_INBOUND} -p tcp -j REDIRECT --to-ports ${traffic.inboundPort}`,
    `-A ${TO_OUTBOUND} -p tcp -j REDIRECT --to-ports ${traffic.outboundPort}`,
    ...inboundRules(traffic),
    ...outboundRules(family, traffic),
    ...jumps,
    'COMMIT',
    '',
  ].join('\n');
}

function inboundRules({ includeInboundPorts, excludeInboundPorts }: CapturedTraffic): readonly string[] {
  return [
    ...excludeInboundPorts.map((port) => `-A ${INBOUND} -p tcp --dport ${port} -j RETURN`),
    ...selected(includeInboundPorts, (port) => `--dport ${port} `).map(
      (match) => `-A ${INBOUND} -p tcp ${match}-j ${TO_INBOUND}`,
    ),
  ];
}

function outboundRules(family: AddressFamily, traffic: CapturedTraffic): readonly string[] {
  const { includeInboundPorts, includeOutboundIpRanges, excludeOutboundIpRanges, excludeOutboundPorts } = traffic;
  const loopback = LOOPBACK[family];
  const isProxy = `-m owner --uid-owner ${traffic.proxyUid}`;
  const rule = (match: string, target: string): string => `-A ${OUTBOUND} ${match}-j ${target}`;
  const takesInbound = includeInboundPorts === '*' || includeInboundPorts.length > 0;
  const ofFamily = (ranges: CapturedTraffic['excludeOutboundIpRanges']): readonly string[] =>
    ranges.filter((range) => range.family === family).map(({ cidr }) => cidr);
  const included = includeOutboundIpRanges === '*' ? '*' : ofFamily(includeOutboundIpRanges);
  return [
    rule(`-s ${INBOUND_SOURCE[family]}/${HOST_BITS[family]} -o lo `, 'RETURN'),
    // The proxy calls its own pod by the pod's address: in by the same door as from outside.
    ...(takesInbound ? [rule(`! -d ${loopback} -o lo -p tcp ${isProxy} `, TO_INBOUND)] : []),
    // An application that calls its own pod stays in the pod.
    rule('-o lo ', 'RETURN'),
    rule(`${isProxy} `, 'RETURN'),
    rule(`-d ${loopback} `, 'RETURN'),
    ...excludeOutboundPorts.map((port) => rule(`-p tcp --dport ${port} `, 'RETURN')),
    ...ofFamily(excludeOutboundIpRanges).map((cidr) => rule(`-d ${cidr} `, 'RETURN')),
    ...selected(included, (cidr) => `-d ${cidr} `).map((match) => rule(match, TO_OUTBOUND)),
  ];
}

/** The matches of a selection: one that says nothing for all. */
function selected<Item>(selection: Selection<Item>, match: (item: Item) => string): readonly string[] {
  return selection === '*' ? [''] : selection.map(match);
}
