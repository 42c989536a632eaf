import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import '@grpc/proto-loader';
import test from 'ava';
import protobuf from 'protobufjs';
import laterFields from '../../src/envoy/later-fields.json' with { type: 'json' };
import protoFiles from '../../src/envoy/proto-files.json' with { type: 'json' };
import { protoIncludeDirs } from '../../src/envoy/proto-folders.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { readDescriptors } from '../../src/generated/envoy-descriptors.js';
import { projectRoot } from '../counterparts/project-root.js';

const script = join(projectRoot(), 'scripts/generate-descriptors.mjs');
const { describeMessages } = (await import(script)) as { describeMessages(files: readonly string[]): object };

/** The files of the project itself whose messages are prepared, relative to `proto/`. */
const OWN_FILES = readdirSync(join(projectRoot(), 'proto'), { recursive: true, encoding: 'utf8' }).filter(
  (path) => path.endsWith('.proto') && !path.startsWith('mesh/adapters/'),
);

/** The same messages, parsed from their files. */
function parseFiles(): protobuf.Root {
  const root = new protobuf.Root();
  const [envoy = '', xds = '', google = '', validate = ''] = protoIncludeDirs();
  const folders: Readonly<Record<string, string>> = {
    envoy,
    xds,
    udpa: xds,
    google,
    validate,
    mesh: join(projectRoot(), 'proto'),
  };
  root.resolvePath = (_origin, target) =>
    protobuf.common.get(target) === null ? join(folders[target.split('/')[0] ?? ''] ?? '', target) : target;
  root.loadSync([...protoFiles, ...OWN_FILES]);
  root.resolveAll();
  return root;
}

/** What decides how the fields of a message are written. */
function wireForm(type: protobuf.Type): object {
  type.resolveAll();
  const isLater = ({ name }: protobuf.Field): boolean =>
    laterFields.some((later) => `.${later.message}` === type.fullName && later.name === name);
  const fields = type.fieldsArray.filter((field) => !isLater(field));
  return fields.map((field) => ({
    name: field.name,
    id: field.id,
    type: field.resolvedType?.fullName ?? field.type,
    key: field instanceof protobuf.MapField ? field.keyType : undefined,
    isRepeated: field.repeated,
    isPacked: field.packed,
    hasPresence: Boolean(field.hasPresence),
    fallback: field.defaultValue,
    oneof: field.partOf?.name,
    values: field.resolvedType instanceof protobuf.Enum ? { ...field.resolvedType.values } : undefined,
  }));
}

function typesIn(type: protobuf.Type): readonly protobuf.Type[] {
  return [type, ...type.nestedArray.flatMap((each) => (each instanceof protobuf.Type ? typesIn(each) : []))];
}

test('every prepared message is encoded as its .proto file says', (t) => {
  const parsed = parseFiles();
  const registry = loadProtoRegistry();
  const prepared = Object.keys(readDescriptors()).flatMap((name) => {
    const type = registry.find(name);
    return type === undefined ? [] : typesIn(type);
  });
  t.true(prepared.length > 300, `${prepared.length} messages are prepared`);
  const different = prepared.filter(
    (type) => !isDeepStrictEqual(wireForm(type), wireForm(parsed.lookupType(type.fullName))),
  );
  t.deepEqual(
    different.map(({ fullName }) => fullName),
    [],
  );
});

test('fields that Envoy has and the package does not yet are prepared, and encoded by their numbers', (t) => {
  const registry = loadProtoRegistry();
  for (const { message, name, id } of laterFields) t.is(registry.type(message).fields[name]?.id, id);
  const service = registry.type('envoy.extensions.filters.http.ext_authz.v3.HttpService');
  const written = service.encode(service.fromObject({ retryPolicy: { retryOn: '5xx' } })).finish();
  t.deepEqual([...written], [(9 << 3) | 2, 5, (3 << 3) | 2, 3, ...Buffer.from('5xx')]);
});

test('a file that does not exist cannot be prepared', (t) => {
  t.throws(() => describeMessages(['envoy/no/such.proto']));
});
