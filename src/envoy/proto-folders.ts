import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

/** Include folders of `@grpc/grpc-js-xds`, which ships Envoy's `.proto` files. */
const FOLDERS = ['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'];

/** Include folders of Envoy's `.proto` files, for gRPC reflection. */
export function protoIncludeDirs(): readonly string[] {
  const packageFile = createRequire(import.meta.url).resolve('@grpc/grpc-js-xds/package.json');
  return FOLDERS.map((folder) => join(dirname(packageFile), 'deps', folder));
}
