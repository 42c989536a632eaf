import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { EVERY_REQUEST } from './http-match.js';
import type { VirtualHost } from './virtual-host.js';

/**
 * The last virtual host of a sidecar's table, for hosts that no other one has: `allow_any` passes requests on,
 * `block_all` answers 502 (mesh config outboundTrafficPolicy; BEHAVIOUR 5, "Routes").
 */
export function unknownHosts({ outboundTrafficPolicy }: Pick<MeshConfig, 'outboundTrafficPolicy'>): VirtualHost {
  return outboundTrafficPolicy === 'REGISTRY_ONLY'
    ? {
        name: 'block_all',
        routes: [{ name: 'block_all', match: EVERY_REQUEST, action: { type: 'respond', status: 502 } }],
      }
    : { name: 'allow_any', routes: [{ name: 'allow_any', match: EVERY_REQUEST, action: { type: 'passThrough' } }] };
}
