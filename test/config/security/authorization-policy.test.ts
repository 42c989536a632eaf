import test from 'ava';
import type { AuthorizationPolicySpec } from '../../../src/config/security/authorization-policy.js';
import { parseConditionKey } from '../../../src/config/security/condition-key.js';
import { readObject, refusalsOf } from '../support/read-yaml.js';

function policy(spec: string): string {
  return `{apiVersion: security.mesh.internal/v1beta1, kind: AuthorizationPolicy, metadata: {name: p}, spec: ${spec}}`;
}

const rule = (text: string) => `{rules: [${text}]}`;
const source = (text: string) => rule(`{from: [{source: {${text}}}]}`);
const operation = (text: string) => rule(`{to: [{operation: {${text}}}]}`);
const condition = (text: string) => rule(`{when: [{${text}}]}`);

const longValues = (count: number) => Array.from({ length: count }, () => 'a'.repeat(1024)).join();

const accepted: readonly (readonly [string, string])[] = [
  ['ALLOW without rules, which allows nothing', '{}'],
  ['an empty rule, which matches every request', rule('{}')],
  ['DENY with a rule', '{action: DENY, rules: [{}]}'],
  ['AUDIT with a rule', '{action: AUDIT, rules: [{}]}'],
  ['a selector', '{selector: {matchLabels: {app: web}}, rules: [{}]}'],
  ['identities with a star at either end', source('principals: ["*", td/ns/a/sa/*, "*/sa/b"], notPrincipals: [a/b]')],
  ['addresses and ranges', source('ipBlocks: [10.1.2.3, 10.0.0.0/8, "fd00::/8", "::1"], notIpBlocks: [10.1.0.0/16]')],
  ['namespaces and JWT subjects', source('namespaces: [a], notNamespaces: [b-*], requestPrincipals: ["iss/*"]')],
  ['operations', operation('hosts: ["*.a.com"], ports: ["1", "65535"], methods: [GET], notPaths: [/a*]')],
  ['a header', condition('key: "request.headers[X-A]", values: ["1"]')],
  ['values that must not match', condition('key: source.ip, notValues: [10.0.0.0/8]')],
  ['a JWT subject with 16 slashes', source(`requestPrincipals: ["${'/'.repeat(16)}"]`)],
  ['the longest end of a host', operation(`hosts: ["*${'a'.repeat(80)}"]`)],
  ['the longest whole host', operation(`hosts: ["${'a'.repeat(1024)}"]`)],
  ['the longest namespace', source(`namespaces: ["${'a'.repeat(63)}", "*${'a'.repeat(63)}"]`)],
  ['a policy of nearly the largest size', rule(`{to: [{operation: {paths: [${longValues(235)}]}}]}`)],
  ['a nested claim', condition('key: "request.auth.claims[a][b]", values: [c]')],
];

for (const [what, spec] of accepted) {
  test(`${what} is accepted`, (t) => {
    t.deepEqual(refusalsOf(policy(spec)), []);
  });
}

const ADDRESS = 'is neither an IP address nor a CIDR range; write it like 10.1.2.3, 10.1.0.0/16 or fd00::/8';
const PORT = 'is not a port number; use the number that the workload listens on, 1 to 65535';
const STAR =
  'has "*" elsewhere than at its beginning or at its end; write several values, each with one "*" at its beginning or at its end';

const refused: readonly (readonly [string, string, string])[] = [
  ['an unknown action', '{action: CUSTOM, rules: [{}]}', 'spec.action: "CUSTOM": is not one of the allowed values'],
  [
    'DENY without rules',
    '{action: DENY}',
    'spec.rules: []: is empty, so the DENY policy would match no request; add a rule; an empty rule ({}) matches every request',
  ],
  ['AUDIT without rules', '{action: AUDIT, rules: []}', 'spec.rules: []: is empty, so the AUDIT policy'],
  [
    'a JWT subject with more slashes',
    source(`requestPrincipals: ["${'/'.repeat(17)}"]`),
    `spec.rules[0].from[0].source.requestPrincipals[0]: "${'/'.repeat(17)}": has more than 16 "/"; write <issuer>/* for all subjects of the issuer`,
  ],
  [
    'a longer end of a host',
    operation(`notHosts: ["*${'é'.repeat(41)}"]`),
    `spec.rules[0].to[0].operation.notHosts[0]: "*${'é'.repeat(41)}": has more than 80 bytes after "*"; write a shorter end`,
  ],
  [
    'a longer namespace',
    condition(`key: source.namespace, notValues: ["${'a'.repeat(64)}*"]`),
    `spec.rules[0].when[0].notValues[0]: "${'a'.repeat(64)}*": is longer than 63 bytes, so it would match no namespace; write`,
  ],
  [
    'half of a surrogate pair in a value',
    operation('paths: ["/\\ud800"]'),
    'spec.rules[0].to[0].operation.paths[0]: "/\\ud800": has half of a surrogate pair; write the whole character',
  ],
  [
    'half of a surrogate pair in a key',
    condition('key: "request.auth.claims[\\udc00]", values: [a]'),
    'spec.rules[0].when[0].key: "request.auth.claims[\\udc00]": has half of a surrogate pair; write the whole character',
  ],
  [
    'a policy that is too large',
    rule(`{to: [{operation: {paths: [${longValues(245)}]}}]}`),
    'spec.rules: "1 rules": take about 266816 bytes in the configuration of a proxy, more than 262144; use values',
  ],
  [
    'a policy that is small, but repeats a long claim for each value',
    condition(
      `key: "request.auth.claims[${'a'.repeat(1000)}]", values: [${Array.from({ length: 256 }, () => 'a').join()}]`,
    ),
    'spec.rules: "1 rules": take about 556288 bytes in the configuration of a proxy, more than 262144; use values',
  ],
  ['an empty list of sources', rule('{from: []}'), 'spec.rules[0].from: []: '],
  ['a source without fields', source(''), 'spec.rules[0].from[0].source: {}: '],
  ['an entry without a source', rule('{from: [{}]}'), 'spec.rules[0].from[0].source: '],
  [
    'an operation without fields',
    operation(''),
    'spec.rules[0].to[0].operation: {}: has too few fields; give at least 1 of hosts, notHosts, ports, notPorts, methods, notMethods, paths, notPaths',
  ],
  ['an empty list of values', operation('paths: []'), 'spec.rules[0].to[0].operation.paths: []: '],
  ['an empty value', operation('methods: [""]'), 'spec.rules[0].to[0].operation.methods[0]: "": '],
  ['a bad address', source('ipBlocks: [10.0.0]'), `spec.rules[0].from[0].source.ipBlocks[0]: "10.0.0": ${ADDRESS}`],
  [
    'a JWT subject without issuer',
    source('requestPrincipals: [alice]'),
    'spec.rules[0].from[0].source.requestPrincipals[0]: "alice": has no "/" between issuer and subject, so it would match no JWT; write it as <issuer>/<subject>, or <issuer>/* for all subjects of the issuer',
  ],
  ['port 0', operation('notPorts: ["0"]'), `spec.rules[0].to[0].operation.notPorts[0]: "0": ${PORT}`],
  ['port 65536', operation('ports: ["65536"]'), `spec.rules[0].to[0].operation.ports[0]: "65536": ${PORT}`],
  ['a star in the middle', operation('paths: [/a*b]'), `spec.rules[0].to[0].operation.paths[0]: "/a*b": ${STAR}`],
  ['a star at both ends', operation('hosts: ["*a*"]'), `spec.rules[0].to[0].operation.hosts[0]: "*a*": ${STAR}`],
  [
    'an unknown key',
    condition('key: request.header, values: [a]'),
    'spec.rules[0].when[0].key: "request.header": is not a known key; use one of request.headers[<name>], source.ip',
  ],
  [
    'a condition without values',
    condition('key: source.namespace'),
    'spec.rules[0].when[0]: a mapping: has neither values nor notValues; add one of them',
  ],
  [
    'a bad value of an address',
    condition('key: destination.ip, values: [localhost]'),
    `spec.rules[0].when[0].values[0]: "localhost": ${ADDRESS}`,
  ],
  [
    'a bad value of a port',
    condition('key: destination.port, notValues: [http]'),
    `spec.rules[0].when[0].notValues[0]: "http": ${PORT}`,
  ],
  [
    'a wildcard in a label',
    '{selector: {matchLabels: {app: "*"}}}',
    'spec.selector.matchLabels.app: "*": has "*" in its value, but labels take no wildcards',
  ],
  ['an unknown field', rule('{form: []}'), 'spec.rules[0].form: '],
];

for (const [what, spec, expected] of refused) {
  test(`${what} is refused, with object, field, value and remedy`, (t) => {
    const refusals = refusalsOf(policy(spec));
    t.is(refusals.length, 1, refusals.join('\n'));
    t.true(refusals[0]?.startsWith(`AuthorizationPolicy default/p: ${expected}`), refusals[0]);
  });
}

test('the default action is ALLOW', (t) => {
  const { action } = readObject(policy('{rules: [{}]}')).body as AuthorizationPolicySpec;
  t.is(action, 'ALLOW');
});

test('keys of conditions are read', (t) => {
  t.deepEqual(parseConditionKey('request.headers[X-Version]'), { type: 'header', name: 'x-version' });
  t.deepEqual(parseConditionKey('request.headers[:path]'), { type: 'header', name: ':path' });
  t.deepEqual(parseConditionKey('request.auth.claims[a][b]'), { type: 'claim', path: ['a', 'b'] });
  t.deepEqual(parseConditionKey('experimental.proxy.filters.network.mysql_proxy[db.table]'), {
    type: 'filter',
    filter: 'envoy.filters.network.mysql_proxy',
    key: 'db.table',
  });
  t.deepEqual(parseConditionKey('connection.sni'), { type: 'connection.sni' });
  for (const key of ['request.headers[]', 'request.headers[a b]', 'request.auth.claims', 'source.port', '']) {
    t.is(parseConditionKey(key), undefined, key);
  }
});
