import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
// Imported for its side effect: it registers google/protobuf/{descriptor,api,…}.proto with protobufjs.
import '@grpc/proto-loader';
import protobuf from 'protobufjs';
import protoFiles from './proto-files.json' with { type: 'json' };

/** Of our own protocols, for the first segment `mesh`; the path leads there from the compiled file. */
const OWN_PROTO_DIR = fileURLToPath(new URL('../../../proto', import.meta.url));

/** Resources and configuration of our own that are encoded beside Envoy's, with all that they refer to. */
const OWN_FILES = ['mesh/policy/v1/client_config.proto'];

const TYPE_URL_PREFIX = 'type.googleapis.com/';

/** Include directories of the proto package, by the first segment of an import path. */
const INCLUDE_DIRS: Readonly<Record<string, string>> = {
  envoy: 'envoy-api',
  udpa: 'xds',
  xds: 'xds',
  google: 'googleapis',
  validate: 'protoc-gen-validate',
};

/** Looks up message types, Envoy's and our own, by full name or type URL. */
export interface ProtoRegistry {
  /** @throws Error when the type is not among those that proto-files.json loads. */
  type(nameOrUrl: string): protobuf.Type;
  /** Undefined when the type is unknown. */
  find(nameOrUrl: string): protobuf.Type | undefined;
}

/**
 * Loads `.proto` files of Envoy, which ship with `@grpc/grpc-js-xds` (about 100 ms), or of our own protocols: done
 * once, at start. None of Envoy's is copied into this project.
 *
 * @param files default: those of Envoy that the server needs, and our own client configurations
 */
export function loadProtoRegistry(files: readonly string[] = [...protoFiles, ...OWN_FILES]): ProtoRegistry {
  const directory = protoDirectory();
  const root = new protobuf.Root();
  root.resolvePath = (_origin, target) => {
    if (target.startsWith('mesh/')) return join(OWN_PROTO_DIR, target);
    const include = INCLUDE_DIRS[target.slice(0, target.indexOf('/'))];
    // Common google/protobuf files are bundled with protobufjs under these very names.
    if (include === undefined || protobuf.common.get(target) !== null) return target;
    return join(directory, include, target);
  };
  root.loadSync([...files]);
  root.resolveAll();
  return createProtoRegistry(root);
}

/** Where `@grpc/grpc-js-xds` keeps its `.proto` files. */
function protoDirectory(): string {
  const require = createRequire(import.meta.url);
  return join(dirname(require.resolve('@grpc/grpc-js-xds/package.json')), 'deps');
}

/** The include directories for loaders that take them as such. */
export function protoIncludeDirs(): readonly string[] {
  return [...new Set(Object.values(INCLUDE_DIRS))].map((dir) => join(protoDirectory(), dir));
}

function createProtoRegistry(root: protobuf.Root): ProtoRegistry {
  const known = new Map<string, protobuf.Type | undefined>();
  const find = (nameOrUrl: string): protobuf.Type | undefined => {
    if (known.has(nameOrUrl)) return known.get(nameOrUrl);
    const name = nameOrUrl.startsWith(TYPE_URL_PREFIX) ? nameOrUrl.slice(TYPE_URL_PREFIX.length) : nameOrUrl;
    const found = root.lookup(name, protobuf.Type);
    const type = found instanceof protobuf.Type ? found : undefined;
    // Names from the wire must not fill the memory: only types that exist are remembered.
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
