import { createHash } from 'node:crypto';
import test from 'ava';
import { readObject, refusalsOf } from '../support/read-yaml.js';

const HASH = createHash('sha256').update('a key').digest('hex');

function objectOf(kind: 'Plan' | 'Consumer', spec: string): string {
  return `{apiVersion: config.mesh.internal/v1alpha2, kind: ${kind}, metadata: {name: x, namespace: shop}, spec: ${spec}}`;
}

const SERVICES = 'services: [{name: books}]';

test('a plan has defaults: fixed windows, limits of each consumer, and no request without a key', (t) => {
  const { body } = readObject(objectOf('Plan', `{${SERVICES}, limits: [{name: daily, requests: 5, per: day}]}`));
  t.deepEqual(body, {
    services: [{ name: 'books' }],
    match: [],
    limits: [{ name: 'daily', requests: 5, per: 'day', window: 'fixed', of: 'consumer', match: [] }],
    anonymous: 'never',
  });
});

const VALID: readonly (readonly [string, 'Plan' | 'Consumer', string])[] = [
  [
    'a plan with all fields',
    'Plan',
    `{services: [{name: books, namespace: shop}, {service: "*.shop.svc.*"}], match: [{clause: {api.service: {exact: books}}}],
      limits: [{name: m, requests: 0, per: month, window: rolling, of: key}, {name: w, requests: 999999999999999, per: week, of: plan, match: [{clause: {api.consumer: {prefix: shop/}}}]}],
      anonymous: withoutKnownKey, refund: {responseCodes: [5xx, "429"]}}`,
  ],
  ['a consumer of another namespace', 'Consumer', `{plan: {name: gold, namespace: shop}, keys: [{sha256: ${HASH}}]}`],
  [
    'a consumer with keys in Secrets',
    'Consumer',
    '{plan: {name: gold}, keys: [{secretRef: {name: acme}}, {secretRef: {name: acme-old, key: api.key}}]}',
  ],
  ['a consumer without keys', 'Consumer', '{plan: {name: gold}}'],
];

for (const [what, kind, spec] of VALID) {
  test(`${what} is valid`, (t) => {
    t.deepEqual(refusalsOf(objectOf(kind, spec)), []);
  });
}

const LIMIT = 'name: m, requests: 1, per: minute';

const INVALID: readonly (readonly [string, 'Plan' | 'Consumer', string, RegExp])[] = [
  ['a plan without services', 'Plan', '{services: []}', /spec\.services: \[\]: has too few items; give at least 1$/],
  ['labels of a service', 'Plan', '{services: [{name: a, labels: {b: c}}]}', /labels: a mapping: is not a known field/],
  ['a service with two names', 'Plan', '{services: [{name: a, service: b}]}', /sets name and service together/],
  [
    'a domain that is none',
    'Plan',
    '{services: [{name: a, domain: "1"}]}',
    /spec\.services\[0\]\.domain: "1": is not a/,
  ],
  [
    'a unit that does not exist',
    'Plan',
    `{${SERVICES}, limits: [{name: m, requests: 1, per: year}]}`,
    /use minute, hour/,
  ],
  ['a negative limit', 'Plan', `{${SERVICES}, limits: [{name: m, requests: -1, per: day}]}`, /is out of range/],
  [
    'a name that is no label',
    'Plan',
    `{${SERVICES}, limits: [{name: "a b", requests: 1, per: day}]}`,
    /limits\[0\]\.name/,
  ],
  [
    'two limits with one name',
    'Plan',
    `{${SERVICES}, limits: [{${LIMIT}}, {${LIMIT}}]}`,
    /spec\.limits\[1\]\.name: "m": is the name of limits\[0\] too; name each limit differently$/,
  ],
  ['a code that is none', 'Plan', `{${SERVICES}, refund: {responseCodes: [6xx]}}`, /responseCodes\[0\]: "6xx"/],
  ['a refund without codes', 'Plan', `{${SERVICES}, refund: {responseCodes: []}}`, /responseCodes: \[\]: has too few/],
  [
    'a plan that asks for its own consumer',
    'Plan',
    `{${SERVICES}, match: [{clause: {api.consumer: {exact: a}}}]}`,
    /spec\.match\[0\]\.clause\.api\.consumer: is known only when the plan .*; use it in the match of a limit/,
  ],
  [
    'an expression that cannot be read',
    'Plan',
    `{${SERVICES}, limits: [{${LIMIT}, match: [{clause: {request.path: {regex: "("}}}]}]}`,
    /spec\.limits\[0\]\.match\[0\]\.clause\["request\.path"\]\.regex/,
  ],
  ['a key without a place', 'Consumer', '{plan: {name: a}, keys: [{}]}', /sets none of sha256, secretRef/],
  [
    'a key with two places',
    'Consumer',
    `{plan: {name: a}, keys: [{sha256: ${HASH}, secretRef: {name: b}}]}`,
    /set exactly one of sha256, secretRef/,
  ],
  ['a consumer without a plan', 'Consumer', '{keys: []}', /spec\.plan: is missing/],
  [
    'a key twice',
    'Consumer',
    `{plan: {name: a}, keys: [{sha256: ${HASH}}, {sha256: ${HASH}}]}`,
    /spec\.keys\[1\]: is the same as keys\[0\]; remove one of them$/,
  ],
  [
    'the hash of nothing',
    'Consumer',
    `{plan: {name: a}, keys: [{sha256: ${createHash('sha256').digest('hex')}}]}`,
    /spec\.keys\[0\]\.sha256: is the hash of an empty text; hash the key$/,
  ],
];

for (const [what, kind, spec, message] of INVALID) {
  test(`${what} is refused, with field and remedy`, (t) => {
    t.regex(refusalsOf(objectOf(kind, spec)).join('\n'), message);
  });
}

for (const [what, keys] of [
  ['in place of its hash', '[{sha256: my-very-secret-key}]'],
  ['in place of its hash, as long as one', `[{sha256: ${'my-secret-key-----'.padEnd(64, 'x')}}]`],
  ['in an unknown field', '[{key: my-very-secret-key}]'],
  ['in place of the list item', '[my-very-secret-key]'],
] as const) {
  test(`no message shows a key that was written ${what}`, (t) => {
    const refusals = refusalsOf(objectOf('Consumer', `{plan: {name: a}, keys: ${keys}}`));
    t.true(refusals.length > 0);
    t.notRegex(refusals.join('\n'), /secret-key/);
  });
}
