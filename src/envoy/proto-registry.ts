import protobuf from 'protobufjs';
import { readDescriptors } from '../generated/envoy-descriptors.js';
import { type Descriptors, LazyRoot } from './lazy-root.js';

const TYPE_URL_PREFIX = 'type.googleapis.com/';

/** Looks up message types, Envoy's and our own, by full name or type URL. */
export interface ProtoRegistry {
  /** @throws Error when the type is not among those that the build has prepared. */
  type(nameOrUrl: string): protobuf.Type;
  /** Undefined when the type is unknown. */
  find(nameOrUrl: string): protobuf.Type | undefined;
}

/**
 * The messages of Envoy that the server needs, and our own client configurations. Envoy's `.proto` files ship with
 * `@grpc/grpc-js-xds`; none of them is copied into this project.
 */
export function loadProtoRegistry(): ProtoRegistry {
  return createProtoRegistry(readDescriptors());
}

/** Message types are made from their descriptors at their first use. */
export function createProtoRegistry(descriptors: Descriptors): ProtoRegistry {
  const root = new LazyRoot(descriptors);
  const known = new Map<string, protobuf.Type>();
  const find = (nameOrUrl: string): protobuf.Type | undefined => {
    const remembered = known.get(nameOrUrl);
    if (remembered !== undefined) return remembered;
    const name = nameOrUrl.startsWith(TYPE_URL_PREFIX) ? nameOrUrl.slice(TYPE_URL_PREFIX.length) : nameOrUrl;
    const found = root.lookup(name);
    const type = found instanceof protobuf.Type ? found : undefined;
    // Only types that exist are remembered, so that names from the wire do not fill the memory.
    if (type !== undefined) known.set(nameOrUrl, type);
    return type;
  };
  return {
    find,
    type: (nameOrUrl) => {
      const type = find(nameOrUrl);
      if (type === undefined)
        throw new Error(`message type ${nameOrUrl} is not loaded; add its file to proto-files.json`);
      return type;
    },
  };
}
