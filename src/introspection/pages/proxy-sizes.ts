import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { listOf, recordOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import { json, type Page } from '../page.js';
import type { Views } from '../views.js';

const TYPES = [
  ['clusters', TypeUrl.cluster],
  ['endpoints', TypeUrl.endpoint],
  ['listeners', TypeUrl.listener],
  ['routes', TypeUrl.route],
  ['extension_configs', TypeUrl.extensionConfig],
] as const;

interface Size {
  readonly count: number;
  readonly bytes: number;
}

/**
 * Array of the number and bytes of the resources of each type that a proxy gets now, and of their sum. It shows the
 * effect of a Sidecar on its workloads.
 */
export const proxySizes: Page = {
  path: '/debug/proxy_sizes',
  description: 'Number and bytes of the resources that each connected proxy gets; a Sidecar makes them fewer',
  audience: 'operator',
  handle: (views) => {
    const sizeOf = createSizes();
    return json(
      listOf(sortConnections(views.connections()), (connection) => {
        const sizes = TYPES.filter(([, typeUrl]) => connection.watches.has(typeUrl)).map(
          ([name, typeUrl]) => [name, sizeOf(views.resourcesOf(connection.id, typeUrl))] as const,
        );
        const bytes = sizes.reduce((sum, [, size]) => sum + size.bytes, 0);
        return recordOf({ proxy: connection.proxy.id, bytes, ...Object.fromEntries(sizes) });
      }),
    );
  },
};

/** Proxies of one scope share their resources, which are added up once. */
function createSizes(): (resources: ReturnType<Views['resourcesOf']>) => Size {
  const known = new WeakMap<readonly EncodedResource[], Size>();
  return (resources) => {
    let size = known.get(resources);
    if (size === undefined) {
      size = { count: resources.length, bytes: resources.reduce((sum, { entry }) => sum + entry.length, 0) };
      known.set(resources, size);
    }
    return size;
  };
}
