import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadAll } from 'js-yaml';
import { projectRoot } from '../counterparts/project-root.js';
import { AUTHORIZATION_POLICY } from './authorization-policy.js';
import { DESTINATION_RULE } from './destination-rule.js';
import { ENVOY_FILTER } from './envoy-filter.js';
import { GATEWAY } from './gateway.js';
import type { FieldTest, KindFields } from './kind-fields.js';
import { MESSAGES } from './messages.js';
import { PEER_AUTHENTICATION } from './peer-authentication.js';
import { REQUEST_AUTHENTICATION } from './request-authentication.js';
import { SERVICE_ENTRY } from './service-entry.js';
import { SIDECAR } from './sidecar.js';
import { VIRTUAL_SERVICE } from './virtual-service.js';
import { WORKLOAD_ENTRY } from './workload-entry.js';

const TABLES: readonly KindFields[] = [
  AUTHORIZATION_POLICY,
  DESTINATION_RULE,
  GATEWAY,
  ENVOY_FILTER,
  PEER_AUTHENTICATION,
  REQUEST_AUTHENTICATION,
  SERVICE_ENTRY,
  SIDECAR,
  VIRTUAL_SERVICE,
  WORKLOAD_ENTRY,
];

const TESTS = join(projectRoot(), 'test');

interface MeshManifest {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly spec?: unknown;
}

/** The messages of all kinds; a field's value may be one of another kind. */
const ALL = new Map(Object.values(MESSAGES).flatMap((messages) => Object.entries(messages)));

function fieldsOf(message: string): readonly string[] {
  const words = (ALL.get(message) ?? '').split(' ');
  return words[0] === '=' ? words.slice(1) : words.map((word) => word.split(':')[0] ?? '');
}

function fieldNames(kind: string): readonly string[] {
  return Object.keys(MESSAGES[kind] ?? {}).flatMap((message) =>
    fieldsOf(message).map((field) => `${message}.${field}`),
  );
}

/** The `Message.field` and `Enum.VALUE` that a value of a message has; throws at a field that no message lists. */
function* fieldsIn(message: string, value: unknown): Iterable<string> {
  const words = (ALL.get(message) ?? '').split(' ');
  if (Array.isArray(value)) {
    for (const item of value) yield* fieldsIn(message, item);
  } else if (words[0] === '=') {
    yield `${message}.${String(value)}`;
  } else if (typeof value === 'object' && value !== null) {
    for (const [field, inner] of Object.entries(value)) {
      const word = words.find((each) => each.split(':')[0] === field);
      if (word === undefined) throw new Error(`messages.ts does not list ${message}.${field}`);
      yield `${message}.${field}`;
      const [, type = ''] = word.split(':');
      if (type.startsWith('{')) for (const each of Object.values(inner)) yield* fieldsIn(type.slice(1, -1), each);
      else if (type !== '') yield* fieldsIn(type, inner);
    }
  }
}

/** Every field that an object of a golden case has. */
function fieldsInGoldenCases(): ReadonlySet<string> {
  const folder = join(TESTS, 'generators/golden');
  const inputs = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const found = new Set<string>();
  for (const { name } of inputs) {
    const documents = loadAll(readFileSync(join(folder, name, 'in.yaml'), 'utf8')) as readonly MeshManifest[];
    for (const { apiVersion = '', kind = '', spec } of documents) {
      // The Gateway API has a kind Gateway too.
      if (apiVersion.startsWith('gateway.networking.k8s.io/')) continue;
      if (MESSAGES[kind] !== undefined) for (const field of fieldsIn(kind, spec)) found.add(field);
    }
  }
  return found;
}

const golden = fieldsInGoldenCases();

function testOf(entry: string | FieldTest): FieldTest {
  return typeof entry === 'string' ? { test: entry } : entry;
}

for (const { kind, file, fields } of TABLES) {
  test(`each field of ${kind} has a test that shows its effect`, (t) => {
    t.deepEqual(Object.keys(fields).toSorted(), fieldNames(kind).toSorted());
    for (const [field, entry] of Object.entries(fields)) {
      const { test: title, file: other = file } = testOf(entry);
      const path = join(TESTS, other);
      t.true(existsSync(path), `${field}: no file test/${other}`);
      t.true(readFileSync(path, 'utf8').includes(title), `${field}: test/${other} has no test "${title}"`);
    }
  });

  test(`each field of ${kind} is in a golden case, whose output Envoy accepts`, (t) => {
    const accepted = Object.entries(fields).filter(([, entry]) => testOf(entry).refused === undefined);
    t.deepEqual(
      accepted.map(([field]) => field).filter((field) => !golden.has(field)),
      [],
    );
  });
}

test('each kind has a table', (t) => {
  t.deepEqual(TABLES.map(({ kind }) => kind).toSorted(), Object.keys(MESSAGES).toSorted());
});
