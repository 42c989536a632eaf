import test from 'ava';
import { messagesOf } from './support.js';

const WEB =
  'ServiceEntry shop/web {hosts: [web.shop.svc.cluster.local, api.shop.svc.cluster.local], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}';
const REMEDY = 'make the conditions exclude one another, or put the rules into one spec';

function quotaMesh(first: string, second: string): string {
  const spec = (matches: string): string => `{rules: [{match: [${matches}], quotas: [{quota: q}]}]}`;
  return `${WEB}
    QuotaSpec shop/a ${spec(first)}
    QuotaSpec shop/b ${spec(second)}
    QuotaSpecBinding shop/x {services: [{name: web}], quotaSpecs: [{name: a}]}
    QuotaSpecBinding shop/y {services: [{service: "*"}], quotaSpecs: [{name: b}]}`;
}

const clauses: readonly (readonly [string, string, string, boolean])[] = [
  ['two rules for every request', '', '', true],
  ['a rule for every request and one with a condition', '', '{clause: {a: {exact: x}}}', true],
  ['a match without clauses and one with a condition', '{clause: {}}', '{clause: {a: {exact: x}}}', true],
  ['conditions on different attributes', '{clause: {a: {exact: x}}}', '{clause: {b: {exact: y}}}', true],
  ['equal texts', '{clause: {a: {exact: x}}}', '{clause: {a: {exact: x}}}', true],
  ['different texts', '{clause: {a: {exact: x}}}', '{clause: {a: {exact: y}}}', false],
  ['texts that differ in case', '{clause: {a: {exact: x}}}', '{clause: {a: {exact: X}}}', false],
  [
    'one equal and one different text',
    '{clause: {a: {exact: x}, b: {exact: y}}}',
    '{clause: {a: {exact: x}, b: {exact: z}}}',
    false,
  ],
  ['a text and its prefix', '{clause: {a: {exact: /pets/1}}}', '{clause: {a: {prefix: /pets}}}', true],
  ['a text and another prefix', '{clause: {a: {prefix: /pets}}}', '{clause: {a: {exact: /users}}}', false],
  ['a prefix and a longer one', '{clause: {a: {prefix: /pets}}}', '{clause: {a: {prefix: /pets/cats}}}', true],
  ['a prefix and a shorter one', '{clause: {a: {prefix: /pets/cats}}}', '{clause: {a: {prefix: /pets}}}', true],
  ['prefixes that part', '{clause: {a: {prefix: /pets}}}', '{clause: {a: {prefix: /users}}}', false],
  ['a text and a regex for it', '{clause: {a: {exact: /pets/1}}}', '{clause: {a: {regex: "/pets/[0-9]+"}}}', true],
  ['a text and a regex for a part of it', '{clause: {a: {exact: /pets/1}}}', '{clause: {a: {regex: "/pets"}}}', false],
  ['equal regexes', '{clause: {a: {regex: "x+"}}}', '{clause: {a: {regex: "x+"}}}', true],
  ['regexes that differ, which is not decided', '{clause: {a: {regex: "x+"}}}', '{clause: {a: {regex: "x*"}}}', false],
  ['a regex and a prefix, which is not decided', '{clause: {a: {regex: "x+"}}}', '{clause: {a: {prefix: x}}}', false],
  [
    'attributes named like fields of JavaScript',
    '{clause: {constructor: {exact: x}}}',
    '{clause: {a: {exact: y}}}',
    true,
  ],
];

for (const [what, first, second, overlaps] of clauses) {
  test(`QuotaSpecs of one service ${overlaps ? 'overlap' : 'do not overlap'} with ${what}`, (t) => {
    const place = (matches: string): string => (matches === '' ? 'spec.rules[0]' : 'spec.rules[0].match[0]');
    const message = `MESH0203 QuotaSpec/shop/b ${place(second)}: one request to web.shop.svc.cluster.local can match this and ${place(first)} of QuotaSpec/shop/a; ${REMEDY}`;
    t.deepEqual(messagesOf(quotaMesh(first, second), 'overlapping-conditions'), overlaps ? [message] : []);
  });
}

function apiMesh(first: string, second: string): string {
  return `${WEB}
    HTTPAPISpec shop/a {patterns: [${first}]}
    HTTPAPISpec shop/b {patterns: [${second}]}
    HTTPAPISpecBinding shop/x {services: [{name: web}], apiSpecs: [{name: a}, {name: b}]}`;
}

const patterns: readonly (readonly [string, string, string, boolean])[] = [
  ['equal templates', '{httpMethod: GET, uriTemplate: /pets}', '{httpMethod: GET, uriTemplate: /pets/}', true],
  [
    'equal templates of different methods',
    '{httpMethod: GET, uriTemplate: /pets}',
    '{httpMethod: PUT, uriTemplate: /pets}',
    false,
  ],
  ['a method and any', '{httpMethod: "*", uriTemplate: /pets}', '{httpMethod: PUT, uriTemplate: /pets}', true],
  [
    'any method on the other side',
    '{httpMethod: PUT, uriTemplate: /pets}',
    '{httpMethod: "*", uriTemplate: /pets}',
    true,
  ],
  [
    'a variable and a literal',
    '{httpMethod: GET, uriTemplate: "/pets/{id}"}',
    '{httpMethod: GET, uriTemplate: /pets/mine}',
    true,
  ],
  [
    'paths of different lengths',
    '{httpMethod: GET, uriTemplate: "/pets/{id}"}',
    '{httpMethod: GET, uriTemplate: /pets}',
    false,
  ],
  [
    'a regex and a path that it matches',
    '{httpMethod: GET, regex: "/p.*"}',
    '{httpMethod: GET, uriTemplate: /pets}',
    true,
  ],
  [
    'a path with a verb and a regex for it',
    '{httpMethod: GET, uriTemplate: "/pets:feed"}',
    '{httpMethod: GET, regex: "/pets:.*"}',
    true,
  ],
  [
    'a regex and a path that it does not match',
    '{httpMethod: GET, uriTemplate: /users}',
    '{httpMethod: GET, regex: "/p.*"}',
    false,
  ],
  [
    'a regex and a variable, which is not decided',
    '{httpMethod: GET, uriTemplate: "/{a}"}',
    '{httpMethod: GET, regex: "/p.*"}',
    false,
  ],
  ['equal regexes', '{httpMethod: GET, regex: "/p.*"}', '{httpMethod: GET, regex: "/p.*"}', true],
];

for (const [what, first, second, overlaps] of patterns) {
  test(`HTTPAPISpecs of one service ${overlaps ? 'overlap' : 'do not overlap'} with ${what}`, (t) => {
    const message = `MESH0203 HTTPAPISpec/shop/b spec.patterns[0]: one request to web.shop.svc.cluster.local can match this and spec.patterns[0] of HTTPAPISpec/shop/a; ${REMEDY}`;
    t.deepEqual(messagesOf(apiMesh(first, second), 'overlapping-conditions'), overlaps ? [message] : []);
  });
}

test('specs of different services do not overlap, nor do rules of one spec', (t) => {
  const twice = '{rules: [{quotas: [{quota: q}]}, {quotas: [{quota: r}]}]}';
  t.deepEqual(
    messagesOf(
      `${WEB}
      QuotaSpec shop/a ${twice}
      QuotaSpec shop/b ${twice}
      QuotaSpecBinding shop/x {services: [{name: web}], quotaSpecs: [{name: a}, {name: a}]}
      QuotaSpecBinding shop/y {services: [{name: api}], quotaSpecs: [{name: b}]}`,
      'overlapping-conditions',
    ),
    [],
  );
});

test('two specs that overlap at several services get one message, with the first service', (t) => {
  const every = '{rules: [{quotas: [{quota: q}]}]}';
  t.deepEqual(
    messagesOf(
      `${WEB}
      QuotaSpec shop/a ${every}
      QuotaSpec shop/b ${every}
      QuotaSpec shop/c {rules: [{match: [{clause: {k: {exact: v}}}], quotas: [{quota: q}]}]}
      QuotaSpecBinding shop/x {services: [{service: "*"}], quotaSpecs: [{name: a}, {name: b}]}
      QuotaSpecBinding shop/y {services: [{name: web}], quotaSpecs: [{name: c}]}`,
      'overlapping-conditions',
    ).map((message) => message.split(';')[0]),
    [
      'MESH0203 QuotaSpec/shop/b spec.rules[0]: one request to api.shop.svc.cluster.local can match this and spec.rules[0] of QuotaSpec/shop/a',
      'MESH0203 QuotaSpec/shop/c spec.rules[0].match[0]: one request to web.shop.svc.cluster.local can match this and spec.rules[0] of QuotaSpec/shop/a',
    ].concat(
      'MESH0203 QuotaSpec/shop/c spec.rules[0].match[0]: one request to web.shop.svc.cluster.local can match this and spec.rules[0] of QuotaSpec/shop/b',
    ),
  );
});

test('specs of a thousand rules each are compared in bounded time, and MESH0207 reports the limit', (t) => {
  const rules = (prefix: string): string =>
    Array.from(
      { length: 1000 },
      (_, index) => `{match: [{clause: {a: {prefix: ${prefix}${index}}}}], quotas: [{quota: q}]}`,
    ).join(', ');
  t.deepEqual(
    messagesOf(
      `${WEB}
      QuotaSpec shop/a {rules: [${rules('a')}]}
      QuotaSpec shop/b {rules: [${rules('b')}]}
      QuotaSpecBinding shop/x {services: [{name: web}], quotaSpecs: [{name: a}, {name: b}]}`,
      'overlapping-conditions',
    ),
    [
      'MESH0207 QuotaSpec/shop/b: not all rules were compared with those of QuotaSpec/shop/a; bind fewer or smaller specs to one service, if overlaps matter',
    ],
  );
});
