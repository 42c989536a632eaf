import test from 'ava';
import { createKindRegistry, type KindRegistry } from '../../src/config/kinds.js';
import type { Violation } from '../../src/config/violation.js';

const kinds: KindRegistry = createKindRegistry('mesh.internal');
const LONG = 4 << 20;

function violationsOf(raw: object): readonly Violation[] {
  const result = kinds.read(raw, { defaultNamespace: 'shop' });
  return result.type === 'invalid' ? result.violations : [];
}

function withAttribute(value: object, pattern: object = { httpMethod: 'GET', uriTemplate: '/books' }): object {
  return {
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind: 'HTTPAPISpec',
    metadata: { name: 'books' },
    spec: { attributes: { attributes: { a: value } }, patterns: [pattern] },
  };
}

for (const [field, value, message] of [
  ['bytesValue', 'A'.repeat(LONG), 'is too long'],
  ['durationValue', '1s'.repeat(LONG / 2), 'is too long'],
  ['timestampValue', '1'.repeat(LONG), 'is too long'],
  ['stringValue', 'x'.repeat(LONG), 'is too long'],
  ['int64Value', '1'.repeat(LONG), 'does not have the required form'],
] as const) {
  test(`a ${field} of 4 MB is a violation, not an exception`, (t) => {
    const [violation] = violationsOf(withAttribute({ [field]: value }));
    t.like(violation, { path: `spec.attributes.attributes.a.${field}`, message });
    t.true(violationsOf(withAttribute({ [field]: value }, { httpMethod: 5 })).length > 0);
  });
}

function serviceEntry(spec: object, labels: object = {}): object {
  return {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'ServiceEntry',
    metadata: { name: 'books', labels },
    spec: { hosts: ['books.example.com'], ports: [{ number: 80, name: 'http', protocol: 'HTTP' }], ...spec },
  };
}

const SUMMARY = { path: '', remedy: 'correct these first' };

for (const [title, raw, count] of [
  [
    'rules',
    serviceEntry({
      resolution: 'STATIC',
      endpoints: Array.from({ length: 10_000 }, (_, index) => ({ address: `no address ${index}` })),
    }),
    10_000,
  ],
  [
    'rules of labels',
    serviceEntry({}, Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`-${index}`, 'x']))),
    10_000,
  ],
  [
    'the schema',
    serviceEntry({}, Object.fromEntries(Array.from({ length: 10_000 }, (_, index) => [`a${index}`, 1]))),
    10_000,
  ],
] as const) {
  test(`of 10,000 violations of ${title} the first hundred are listed, and the others counted`, (t) => {
    const violations = violationsOf(raw);
    t.is(violations.length, 101);
    t.like(violations.at(-1), { ...SUMMARY, message: `breaks ${count - 100} more rules that are not listed` });
    t.false(violations.slice(0, 100).some(({ path }) => path === ''));
  });
}
