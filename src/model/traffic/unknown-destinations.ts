import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { SidecarSpec } from '../../config/networking/sidecar.js';
import type { ConnectionAction } from './connection-route.js';
import type { Destination } from './destination.js';
import { EVERY_REQUEST } from './http-match.js';
import type { VirtualHost } from './http-route.js';

/** What a sidecar does with traffic to hosts and addresses of no service in view. */
export interface UnknownTraffic {
  /** Equal ids have equal content within one snapshot; empty for the policy of the mesh config. */
  readonly id: string;
  /** The last virtual host of route tables. */
  readonly host: VirtualHost;
  readonly connections: ConnectionAction;
}

/** The policy of a Sidecar, or of the mesh config. */
export interface UnknownTrafficPolicy {
  readonly mode: MeshConfig['outboundTrafficPolicy'];
  /** The service that takes the traffic with mode ALLOW_ANY; undefined: the original destination. */
  readonly egressProxy?: NonNullable<SidecarSpec['outboundTrafficPolicy']>['egressProxy'];
}

/**
 * The policy of a Sidecar where it has one, else that of the mesh config (`outboundTrafficPolicy`): `allow_any` passes
 * requests on, `block_all` answers 502.
 *
 * @param proxyOf the destination of an egress proxy; undefined where the proxy has no such cluster: then the traffic is
 *   rejected, because its author does not want it to go past the egress proxy
 */
export function unknownTraffic(
  meshPolicy: MeshConfig['outboundTrafficPolicy'],
  own: UnknownTrafficPolicy | undefined,
  proxyOf: (proxy: NonNullable<UnknownTrafficPolicy['egressProxy']>) => Destination | undefined,
): UnknownTraffic {
  const { mode, egressProxy } = own ?? { mode: meshPolicy };
  if (mode === 'REGISTRY_ONLY') return { id: mode === meshPolicy ? '' : mode, ...REJECTED };
  if (egressProxy === undefined) return { id: mode === meshPolicy ? '' : mode, ...PASSED_ON };
  const id = `${egressProxy.host}:${egressProxy.port.number}:${egressProxy.subset}`;
  const destination = proxyOf(egressProxy);
  return destination === undefined ? { id: `no ${id}`, ...REJECTED } : { id, ...sentTo(destination) };
}

type Content = Omit<UnknownTraffic, 'id'>;

const REJECTED: Content = {
  host: {
    name: 'block_all',
    routes: [{ name: 'block_all', match: EVERY_REQUEST, action: { type: 'respond', status: 502 } }],
  },
  connections: { type: 'close' },
};

const PASSED_ON: Content = {
  host: { name: 'allow_any', routes: [{ name: 'allow_any', match: EVERY_REQUEST, action: { type: 'passThrough' } }] },
  connections: { type: 'passThrough' },
};

function sentTo(destination: Destination): Content {
  const destinations = [{ ...destination, weight: 1 }];
  return {
    host: {
      name: 'allow_any',
      routes: [{ name: 'allow_any', match: EVERY_REQUEST, action: { type: 'forward', destinations, timeoutMs: 0 } }],
    },
    connections: { type: 'forward', destinations, hashesSourceAddress: false },
  };
}
