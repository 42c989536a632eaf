import type { AddressRange, Selection } from '../config/injection/captured-traffic.js';

/** Traffic of a pod that goes through its proxy. */
export interface CapturedTraffic {
  readonly includeInboundPorts: Selection<number>;
  /** These ports are not captured, even if all ports are included. */
  readonly excludeInboundPorts: readonly number[];
  readonly includeOutboundIpRanges: Selection<AddressRange>;
  readonly excludeOutboundIpRanges: readonly AddressRange[];
  readonly excludeOutboundPorts: readonly number[];
  /** Port of the proxy for inbound traffic. */
  readonly inboundPort: number;
  /** Port of the proxy for outbound traffic. */
  readonly outboundPort: number;
  /** Whether DNS packets (UDP port 53) are captured. */
  readonly captureDns: boolean;
  /** UDP port of the proxy for DNS packets. */
  readonly dnsPort: number;
  /** User ID of the proxy. Connections of this user are not captured. */
  readonly proxyUid: number;
}

export type AddressFamily = 'ipv4' | 'ipv6';

/**
 * Source address of the proxy's connections to its application, which are not captured again. The inbound clusters of
 * the control plane bind to it (docs/reference/xds.md#names).
 */
export const INBOUND_SOURCE: Readonly<Record<AddressFamily, string>> = { ipv4: '127.0.0.6', ipv6: '::6' };

const LOOPBACK: Readonly<Record<AddressFamily, string>> = { ipv4: '127.0.0.0/8', ipv6: '::1/128' };
const HOST_BITS: Readonly<Record<AddressFamily, number>> = { ipv4: 32, ipv6: 128 };

const INBOUND = 'MESH_INBOUND';
const TO_INBOUND = 'MESH_IN_REDIRECT';
const OUTBOUND = 'MESH_OUTPUT';
const TO_OUTBOUND = 'MESH_REDIRECT';
const DNS = 'MESH_DNS';
/** Jumps to the chains of this program, in chains that other programs also use. */
const JUMPS = [`-A PREROUTING -p tcp -j ${INBOUND}`, `-A OUTPUT -p tcp -j ${OUTBOUND}`];
const DNS_JUMP = `-A OUTPUT -p udp -m udp --dport 53 -j ${DNS}`;

/**
 * The nat rules of one address family, as input for `iptables-restore --noflush`. Applied twice, they give the same
 * rules: the own chains are rebuilt, and jumps in `present` are left out.
 *
 * @param present output of `iptables-save -t nat`
 */
export function captureRules(family: AddressFamily, traffic: CapturedTraffic, present = ''): string {
  const existing = new Set(present.split('\n').map((line) => line.trim()));
  const { captureDns, dnsPort, proxyUid } = traffic;
  const jumps = [...JUMPS, ...(captureDns ? [DNS_JUMP] : [])].filter((jump) => !existing.has(jump));
  const chains = [INBOUND, TO_INBOUND, OUTBOUND, TO_OUTBOUND, ...(captureDns ? [DNS] : [])].map(
    (chain) => `:${chain} - [0:0]`,
  );
  return [
    '*nat',
    ...chains,
    `-A ${TO_INBOUND} -p tcp -j REDIRECT --to-ports ${traffic.inboundPort}`,
    `-A ${TO_OUTBOUND} -p tcp -j REDIRECT --to-ports ${traffic.outboundPort}`,
    ...inboundRules(traffic),
    ...outboundRules(family, traffic),
    // The proxy forwards the names that it does not know.
    ...(captureDns
      ? [`-A ${DNS} -m owner --uid-owner ${proxyUid} -j RETURN`, `-A ${DNS} -p udp -j REDIRECT --to-ports ${dnsPort}`]
      : []),
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
    // The proxy reaches its own pod by the address of the pod, through the inbound listener like other clients.
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

/** The matches of a selection; one empty match for all. */
function selected<Item>(selection: Selection<Item>, match: (item: Item) => string): readonly string[] {
  return selection === '*' ? [''] : selection.map(match);
}
