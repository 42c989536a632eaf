import { createKindRegistry } from '../../../src/config/kinds.js';
import { DEFAULT_MESH_DOMAIN } from '../../../src/config/mesh-domain.js';
import type { MeshObject } from '../../../src/config/object.js';

export type ServerFields = Readonly<Record<string, unknown>>;

const kinds = createKindRegistry(DEFAULT_MESH_DOMAIN);

interface GatewayOptions {
  /** Default `edge`. */
  readonly namespace?: string;
  readonly created?: string;
  /** Default: the label `app: ingress`. */
  readonly selector?: Readonly<Record<string, string>>;
}

/** A Gateway as a source would read it. */
export function gatewayObject(
  name: string,
  servers: readonly ServerFields[],
  { namespace = 'edge', created, selector = { app: 'ingress' } }: GatewayOptions = {},
): MeshObject {
  const metadata = { name, namespace, ...(created === undefined ? {} : { creationTimestamp: created }) };
  const raw = {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'Gateway',
    metadata,
    spec: { selector, servers },
  };
  const result = kinds.read(raw, { defaultNamespace: '' });
  if (result.type !== 'object') throw new Error(JSON.stringify(result));
  return result.object;
}
