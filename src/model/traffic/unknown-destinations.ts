import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { ConnectionAction } from './connection-route.js';
import { EVERY_REQUEST } from './http-match.js';
import type { VirtualHost } from './http-route.js';

type OutboundPolicy = Pick<MeshConfig, 'outboundTrafficPolicy'>;

/**
 * The last virtual host of a sidecar's route table, for hosts of no service (mesh config outboundTrafficPolicy):
 * `allow_any` passes requests on, `block_all` answers 502.
 */
export function unknownHosts({ outboundTrafficPolicy }: OutboundPolicy): VirtualHost {
  return outboundTrafficPolicy === 'REGISTRY_ONLY'
    ? {
        name: 'block_all',
        routes: [{ name: 'block_all', match: EVERY_REQUEST, action: { type: 'respond', status: 502 } }],
      }
    : { name: 'allow_any', routes: [{ name: 'allow_any', match: EVERY_REQUEST, action: { type: 'passThrough' } }] };
}

/** What a sidecar does with connections to addresses of no service (mesh config outboundTrafficPolicy). */
export function unknownConnections({ outboundTrafficPolicy }: OutboundPolicy): ConnectionAction {
  return { type: outboundTrafficPolicy === 'REGISTRY_ONLY' ? 'close' : 'passThrough' };
}
