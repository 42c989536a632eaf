import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { eventually } from '../support/eventually.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, serviceEntry, sidecar } from './support/manifests.js';
import { startServer } from './support/running-server.js';

interface Problem {
  readonly file?: string;
  readonly object?: string;
  readonly field?: string;
  readonly reason: string;
}

function policy(kind: string, name: string, spec: string): string {
  return `apiVersion: config.mesh.internal/v1alpha2\nkind: ${kind}\nmetadata: {name: ${name}, namespace: shop}\nspec: ${spec}\n`;
}

function clause(text: string): string {
  return `{rules: [{match: [{clause: ${text}}], quotas: [{quota: q}]}]}`;
}

function pattern(text: string): string {
  return `{patterns: [${text}]}`;
}

const MANY_RULES = `{rules: [${Array(10_000).fill('{quotas: [{quota: q}]}').join(', ')}]}`;
const MANY_PATTERNS = pattern(Array(10_000).fill('{httpMethod: GET, uriTemplate: /}').join(', '));
const DEEP = `{rules: ${'['.repeat(20)}${']'.repeat(20)}}`;

/** File by file: what is wrong, the kind, its spec, and the field and reason that are told. */
const BAD_POLICIES: readonly (readonly [string, string, string, string, RegExp])[] = [
  ['a wrong type', 'QuotaSpec', '{rules: all}', 'spec.rules', /is a string, not an array/],
  [
    'a wrong type deep inside',
    'QuotaSpec',
    clause('{a: [b]}'),
    'spec.rules[0].match[0].clause.a',
    /is a list, not an object/,
  ],
  ['rules inside rules inside rules', 'QuotaSpec', DEEP, 'spec.rules[0]', /is a list, not an object/],
  [
    'two members of a StringMatch',
    'QuotaSpec',
    clause('{a: {exact: b, regex: c}}'),
    'spec.rules[0].match[0].clause.a',
    /sets exact and regex together; set exactly one of exact, prefix, regex/,
  ],
  [
    'a template beside a regex',
    'HTTPAPISpec',
    pattern('{httpMethod: GET, uriTemplate: /, regex: /}'),
    'spec.patterns[0]',
    /sets uriTemplate and regex together/,
  ],
  [
    'an unknown field',
    'QuotaSpec',
    '{rules: [{quotas: [{quota: q, charges: 1}]}]}',
    'spec.rules[0].quotas[0].charges',
    /did you mean charge\?/,
  ],
  [
    'a negative charge',
    'QuotaSpec',
    '{rules: [{quotas: [{quota: q, charge: -1}]}]}',
    'spec.rules[0].quotas[0].charge',
    /is out of range; use 0 to/,
  ],
  [
    'a quota without a name',
    'QuotaSpec',
    '{rules: [{quotas: [{quota: ""}]}]}',
    'spec.rules[0].quotas[0].quota',
    /is empty/,
  ],
  [
    'an attribute without a name',
    'QuotaSpec',
    clause('{"": {exact: b}}'),
    'spec.rules[0].match[0].clause[""]',
    /without a name/,
  ],
  [
    'a service without a name',
    'QuotaSpecBinding',
    '{services: [{name: ""}], quotaSpecs: [{name: a}]}',
    'spec.services[0].name',
    /is empty/,
  ],
  [
    'a regex that RE2 refuses',
    'QuotaSpec',
    clause('{a: {regex: "(?=b)"}}'),
    'spec.rules[0].match[0].clause.a.regex',
    /use RE2 syntax/,
  ],
  [
    'a regex that no engine takes',
    'HTTPAPISpec',
    pattern('{httpMethod: GET, regex: "("}'),
    'spec.patterns[0].regex',
    /is not a regular expression/,
  ],
  [
    'a template that does not parse',
    'HTTPAPISpec',
    pattern('{httpMethod: GET, uriTemplate: "/{id"}'),
    'spec.patterns[0].uriTemplate',
    /unmatched brace/,
  ],
  ['10,000 rules', 'QuotaSpec', MANY_RULES, 'spec.rules', /has too many items; give at most 1000/],
  ['10,000 patterns', 'HTTPAPISpec', MANY_PATTERNS, 'spec.patterns', /has too many items; give at most 1000/],
  ['a binding to nothing', 'HTTPAPISpecBinding', '{services: [{name: web}]}', 'spec.apiSpecs', /is missing/],
];

const GOOD = {
  'web.yaml': documents(service('web'), endpoints('web', '10.0.0.7')),
  'good.yaml': documents(
    policy('QuotaSpec', 'good', '{rules: [{quotas: [{quota: q}]}]}'),
    policy('QuotaSpecBinding', 'good', '{services: [{name: web}], quotaSpecs: [{name: good}]}'),
  ),
};

test('each bad policy is reported with its file, object, field and remedy, and the rest of the mesh is served', async (t) => {
  const bad = BAD_POLICIES.map(([, kind, spec], index) => [`bad-${index}.yaml`, policy(kind, `bad-${index}`, spec)]);
  const server = await startServer(t, { files: { ...GOOD, ...Object.fromEntries(bad) } });
  const problems = await server.http.json<Problem[]>('/debug/config_problems');
  for (const [index, [what, kind, , field, reason]] of BAD_POLICIES.entries()) {
    const [problem, ...others] = problems.filter(({ file }) => file === `bad-${index}.yaml`);
    t.deepEqual(others, [], what);
    t.like(problem, { object: `${kind}/shop/bad-${index}`, field }, what);
    t.regex(problem?.reason ?? '', reason, what);
    t.true((problem?.reason.length ?? 0) < 500, what);
  }
  const kept = (await server.http.json<{ kind: string; metadata: { name: string } }[]>('/debug/configz')).map(
    ({ kind, metadata }) => `${kind}/${metadata.name}`,
  );
  t.deepEqual(kept.sort(), ['Endpoints/web', 'QuotaSpec/good', 'QuotaSpecBinding/good', 'Service/web']);

  const proxy = await connectProxy(t, server, sidecar());
  t.true(proxy.namesOf(TypeUrl.cluster).includes('outbound|80||web.shop.svc.cluster.local'));
  await server.folder.write('more.yaml', serviceEntry('pay'));
  await eventually('changes are served on', () =>
    proxy.namesOf(TypeUrl.cluster).includes('outbound|80||pay.example.com'),
  );
});
