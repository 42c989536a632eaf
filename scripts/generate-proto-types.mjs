// Writes TypeScript types for the Envoy messages we build into src/generated (never committed).
// The .proto files come from the @grpc/grpc-js-xds package; proto-loader's own generator does the work.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const require = createRequire(import.meta.url);
const deps = join(dirname(require.resolve('@grpc/grpc-js-xds/package.json')), 'deps');
const generator = join(
  dirname(require.resolve('@grpc/proto-loader/package.json')),
  'build/bin/proto-loader-gen-types.js',
);
const files = JSON.parse(readFileSync(join(root, 'src/envoy/proto-files.json'), 'utf8'));
const outDir = join(root, 'src/generated');
const stamp = join(outDir, '.stamp');
const wanted = JSON.stringify(files);

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  rmSync(outDir, { recursive: true, force: true });
  const includes = ['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((dir) => join(deps, dir));
  execFileSync(
    process.execPath,
    [
      generator,
      '--longs=Number',
      '--enums=String',
      '--bytes=Buffer',
      '--grpcLib=@grpc/grpc-js',
      '--importFileExtension=.js',
      '--targetFileExtension=.d.ts',
      '-O',
      outDir,
      '-I',
      ...includes,
      '--',
      ...files,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  writeFileSync(stamp, wanted);
}
