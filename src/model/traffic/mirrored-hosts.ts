import { resolveHost } from '../../config/networking/host-names.js';
import type { VirtualServiceSpec } from '../../config/networking/virtual-service.js';
import type { MeshObject } from '../../config/object.js';

/** The hosts that routes of an object mirror requests to; empty for objects of other kinds. */
export function mirroredHostsOf({ kind, metadata, body }: MeshObject, domain: string): readonly string[] {
  if (kind !== 'VirtualService') return [];
  const { http } = body as VirtualServiceSpec;
  return http.flatMap(({ mirror }) =>
    mirror === undefined ? [] : [resolveHost(mirror.host, metadata.namespace, domain)],
  );
}
