import type { NamespaceMode } from './namespace-mode.js';

/** The user and group that Envoy runs as, whose connections are never captured. */
export const PROXY_UID = 1337;

/** Inbound ports that are not captured: Envoy's admin, the agent's status, merged metrics. */
const UNCAPTURED_INBOUND_PORTS = [15000, 15008, 15020, 15021, 15090];

export interface CaptureOptions {
  readonly mode: NamespaceMode;
  /** Destinations captured in `user` mode, where Envoy cannot be told from apps by its user: the service CIDRs. */
  readonly serviceCidrs: readonly string[];
}

/**
 * The nat rules of an init container, as iptables-restore input. Outbound traffic goes to port 15001 of Envoy, inbound
 * traffic to 15006. Loopback and Envoy's own traffic pass, including traffic from 127.0.0.6, the source of Envoy's
 * connections to the app.
 */
export function captureRules({ mode, serviceCidrs }: CaptureOptions): string {
  const inbound = [
    ...UNCAPTURED_INBOUND_PORTS.map((port) => `-A PREROUTING -p tcp --dport ${port} -j RETURN`),
    '-A PREROUTING -p tcp -j REDIRECT --to-ports 15006',
  ];
  const outbound =
    mode === 'root'
      ? [
          '-A OUTPUT -s 127.0.0.6/32 -j RETURN',
          // Envoy calling its own workload by the pod's address: in through the inbound listener, as from outside.
          `-A OUTPUT -p tcp -o lo ! -d 127.0.0.0/8 -m owner --uid-owner ${PROXY_UID} -j REDIRECT --to-ports 15006`,
          `-A OUTPUT -m owner --uid-owner ${PROXY_UID} -j RETURN`,
          '-A OUTPUT -o lo -j RETURN',
          '-A OUTPUT -d 127.0.0.0/8 -j RETURN',
          '-A OUTPUT -p tcp -j REDIRECT --to-ports 15001',
        ]
      : serviceCidrs.map((cidr) => `-A OUTPUT -p tcp -d ${cidr} -j REDIRECT --to-ports 15001`);
  return ['*nat', ...inbound, ...outbound, 'COMMIT', ''].join('\n');
}
