// Writes TypeScript types for the messages of Envoy and of our own protocols into src/generated (never committed).
// Envoy's .proto files come from the @grpc/grpc-js-xds package, ours from proto/; proto-loader's own generator does
// the work.
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
const outDir = join(root, 'src/generated');
const stamp = join(outDir, '.stamp');

const readList = (path) => JSON.parse(readFileSync(join(root, path), 'utf8'));

const sets = [
  {
    files: readList('src/envoy/proto-files.json'),
    includes: ['envoy-api', 'xds', 'googleapis', 'protoc-gen-validate'].map((dir) => join(deps, dir)),
    outDir,
    longs: 'Number',
  },
  {
    files: readList('src/policy/proto-files.json'),
    includes: [join(root, 'proto')],
    outDir: join(outDir, 'policy'),
    // Attributes are whole numbers of 64 bits, which Number would round.
    longs: 'String',
  },
];

// Files of packages change with the list; ours may change under the same name.
const ownText = sets[1].files.map((file) => readFileSync(join(root, 'proto', file), 'utf8'));
const wanted = JSON.stringify([sets.map(({ files, longs }) => [files, longs]), ownText]);

if (!existsSync(stamp) || readFileSync(stamp, 'utf8') !== wanted) {
  rmSync(outDir, { recursive: true, force: true });
  for (const set of sets) {
    execFileSync(
      process.execPath,
      [
        generator,
        `--longs=${set.longs}`,
        '--enums=String',
        '--bytes=Buffer',
        '--grpcLib=@grpc/grpc-js',
        '--importFileExtension=.js',
        '--targetFileExtension=.d.ts',
        '-O',
        set.outDir,
        '-I',
        ...set.includes,
        '--',
        ...set.files,
      ],
      { stdio: ['ignore', 'ignore', 'inherit'] },
    );
  }
  writeFileSync(stamp, wanted);
}
