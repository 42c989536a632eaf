import test from 'ava';
import { createCandidateAnalysis } from '../../../../src/status/analysis/candidate/analyze-candidate.js';
import { ENFORCEMENT, policyContext, policyObject, shown } from '../support.js';

const SERVICES = `
  ServiceEntry shop/web {hosts: [web.shop.svc.cluster.local], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}
  ServiceEntry shop/api {hosts: [api.shop.svc.cluster.local], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}`;
const QUOTA = '{rules: [{quotas: [{quota: q}]}]}';
const ONLY_POST = '{rules: [{match: [{clause: {request.method: {exact: POST}}}], quotas: [{quota: q}]}]}';
const ONLY_GET = '{rules: [{match: [{clause: {request.method: {exact: GET}}}], quotas: [{quota: q}]}]}';
const REMEDY = 'make the conditions exclude one another, or put the rules into one spec';

/** The messages about a candidate; policies are off by default. */
function saidOf(candidate: string, mesh: string, without: readonly string[] = ['MESH0204']): readonly string[] {
  return createCandidateAnalysis(policyContext(mesh))(policyObject(candidate), ENFORCEMENT)
    .filter(({ code }) => !without.includes(code))
    .map(shown);
}

test('a binding whose spec is missing gets a message at the reference', (t) => {
  t.deepEqual(
    saidOf(
      'QuotaSpecBinding shop/b {services: [{name: web}], quotaSpecs: [{name: a}, {name: gone}]}',
      `${SERVICES}
      QuotaSpec shop/a ${QUOTA}`,
    ),
    [
      'MESH0101 QuotaSpecBinding/shop/b spec.quotaSpecs[1]: QuotaSpec/shop/gone does not exist; ' +
        'create the resource, or correct name and namespace of the reference',
    ],
  );
});

test('a binding whose service is missing gets a message, with and without wildcards', (t) => {
  const binding = (services: string) => `QuotaSpecBinding shop/b {services: [${services}], quotaSpecs: [{name: a}]}`;
  const mesh = `${SERVICES}\nQuotaSpec shop/a ${QUOTA}`;
  const said = (services: string) => saidOf(binding(services), mesh).map((line) => line.split(';')[0]);
  t.deepEqual(said('{name: web}, {name: wbe}'), [
    'MESH0202 QuotaSpecBinding/shop/b spec.services[1]: there is no service wbe.shop.svc.cluster.local',
  ]);
  t.deepEqual(said('{service: "*api*"}, {name: wbe}'), [
    'MESH0202 QuotaSpecBinding/shop/b spec.services[1]: there is no service wbe.shop.svc.cluster.local',
  ]);
  t.deepEqual(said('{service: "*ap*"}, {service: "*xyz*"}'), [
    'MESH0202 QuotaSpecBinding/shop/b spec.services[1]: no service has a host that contains xyz',
  ]);
  t.deepEqual(said('{name: web}, {service: "*api*"}'), []);
});

test('a spec is compared with the specs of its services, in any order of names', (t) => {
  const mesh = `${SERVICES}
    QuotaSpec shop/m ${QUOTA}
    QuotaSpecBinding shop/x {services: [{name: web}], quotaSpecs: [{name: m}, {name: a}, {name: z}]}`;
  for (const name of ['a', 'z']) {
    t.deepEqual(saidOf(`QuotaSpec shop/${name} ${ONLY_POST}`, mesh), [
      `MESH0203 QuotaSpec/shop/${name} spec.rules[0].match[0]: one request to web.shop.svc.cluster.local ` +
        `can match this and spec.rules[0] of QuotaSpec/shop/m; ${REMEDY}`,
    ]);
  }
});

test('a spec does not overlap with its own old version, nor with specs of other services', (t) => {
  const mesh = `${SERVICES}
    QuotaSpec shop/a ${QUOTA}
    QuotaSpec shop/b ${QUOTA}
    QuotaSpecBinding shop/x {services: [{name: web}], quotaSpecs: [{name: a}]}
    QuotaSpecBinding shop/y {services: [{name: api}], quotaSpecs: [{name: b}]}`;
  t.deepEqual(saidOf(`QuotaSpec shop/a ${ONLY_POST}`, mesh), []);
});

test('the new version of a changed spec is analyzed', (t) => {
  const mesh = (spec: string) => `${SERVICES}
    QuotaSpec shop/a ${spec}
    QuotaSpec shop/b ${ONLY_GET}
    QuotaSpecBinding shop/x {services: [{name: web}], quotaSpecs: [{name: a}, {name: b}]}`;
  t.deepEqual(saidOf(`QuotaSpec shop/a ${ONLY_POST}`, mesh(ONLY_GET)), []);
  t.is(saidOf(`QuotaSpec shop/a ${ONLY_GET}`, mesh(ONLY_POST)).length, 1);
});

test('a binding that brings overlapping specs to one service gets a message', (t) => {
  const mesh = `${SERVICES}
    QuotaSpec shop/a ${QUOTA}
    QuotaSpec shop/b ${ONLY_POST}
    QuotaSpecBinding shop/x {services: [{service: "*"}], quotaSpecs: [{name: a}]}`;
  t.deepEqual(saidOf('QuotaSpecBinding shop/y {services: [{name: api}], quotaSpecs: [{name: b}]}', mesh), [
    'MESH0203 QuotaSpecBinding/shop/y spec.services: one request to api.shop.svc.cluster.local can match both ' +
      `spec.rules[0].match[0] of QuotaSpec/shop/b and spec.rules[0] of QuotaSpec/shop/a; ${REMEDY}`,
  ]);
});

test('a binding of two overlapping specs gets a message', (t) => {
  const mesh = `${SERVICES}
    QuotaSpec shop/a ${QUOTA}
    QuotaSpec shop/b ${ONLY_POST}`;
  const said = saidOf('QuotaSpecBinding shop/y {services: [{name: api}], quotaSpecs: [{name: a}, {name: b}]}', mesh);
  t.is(said.length, 1);
  t.regex(said[0] ?? '', /can match both spec.rules\[0\] of QuotaSpec\/shop\/a and .*QuotaSpec\/shop\/b/);
});

test('a spec that only the old version of a binding bound to a service causes no overlap', (t) => {
  const mesh = `${SERVICES}
    QuotaSpec shop/a ${QUOTA}
    QuotaSpec shop/b ${ONLY_POST}
    QuotaSpecBinding shop/x {services: [{name: web}], quotaSpecs: [{name: a}]}`;
  t.deepEqual(saidOf('QuotaSpecBinding shop/x {services: [{name: web}], quotaSpecs: [{name: b}]}', mesh), []);
  const other = 'QuotaSpecBinding shop/y {services: [{name: web}], quotaSpecs: [{name: a}]}';
  t.is(
    saidOf('QuotaSpecBinding shop/x {services: [{name: web}], quotaSpecs: [{name: b}]}', `${mesh}\n${other}`).length,
    1,
  );
});

test('HTTPAPISpecs are compared with each other', (t) => {
  const api = (template: string) =>
    `{attributes: {attributes: {a: {stringValue: b}}}, patterns: [{httpMethod: GET, uriTemplate: ${template}}]}`;
  const mesh = `${SERVICES}
    HTTPAPISpec shop/a ${api('/pets')}
    HTTPAPISpec shop/b ${api('/users')}
    HTTPAPISpecBinding shop/x {services: [{name: web}], apiSpecs: [{name: a}, {name: b}]}`;
  t.deepEqual(saidOf(`HTTPAPISpec shop/b ${api('/shops')}`, mesh), []);
  t.is(saidOf(`HTTPAPISpec shop/b ${api('"/{any}"')}`, mesh).length, 1);
});

test('a spec without a binding and a quota without a limit get messages', (t) => {
  const context = policyContext(SERVICES);
  const embedded = {
    ...context,
    mesh: { ...context.mesh, policy: { ...context.mesh.policy, mixerCheckServer: 'embedded' } },
  };
  const enforcement = { isPluginOn: true, limitedQuotas: new Map([['q', 1]]) };
  const analysis = createCandidateAnalysis(embedded);
  const codes = (spec: string) =>
    analysis(policyObject(`QuotaSpec shop/a ${spec}`), enforcement).map(({ code }) => code);
  t.true(codes(QUOTA).includes('MESH0201'));
  t.false(codes(QUOTA).includes('MESH0208'));
  t.true(codes('{rules: [{quotas: [{quota: other}]}]}').includes('MESH0208'));
});

test('a policy that is not enforced gets MESH0204', (t) => {
  const analysis = createCandidateAnalysis(policyContext(SERVICES));
  const off = { isPluginOn: false, limitedQuotas: undefined };
  const messages = analysis(policyObject(`QuotaSpec shop/a ${QUOTA}`), off);
  t.true(messages.some(({ code, object }) => code === 'MESH0204' && object === 'QuotaSpec/shop/a'));
});

test('kinds without analyzers and other objects get no message', (t) => {
  t.deepEqual(
    saidOf(
      'ServiceEntry shop/x {hosts: [a.com], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}',
      SERVICES,
    ),
    [],
  );
  const mesh = 'QuotaSpecBinding shop/x {services: [{name: gone}], quotaSpecs: [{name: a}, {name: gone}]}';
  t.deepEqual(saidOf(`QuotaSpec shop/a ${QUOTA}`, mesh), []);
});

test('comparisons are bounded: overlaps beyond the bound are not found', (t) => {
  const rules = (count: number, text: string) =>
    Array.from(
      { length: count },
      (_, i) => `{match: [{clause: {source.user: {prefix: ${text}${i}}}}], quotas: [{quota: q}]}`,
    );
  const mesh = (...first: string[]) => `${SERVICES}
    QuotaSpec shop/s {rules: [${[...first, ...rules(900, 's'), ...rules(1, 'c')].join()}]}
    QuotaSpecBinding shop/x {services: [{service: "*"}], quotaSpecs: [{name: s}, {name: c}]}`;
  const candidate = `QuotaSpec shop/c {rules: [${rules(900, 'c').reverse().join()}]}`;
  t.deepEqual(saidOf(candidate, mesh()), []);
  t.is(saidOf(candidate, mesh(...rules(900, 'c').slice(-1))).length, 1);
});

test('a wildcard among very many services of a large mesh is analyzed only after it was applied', (t) => {
  const entry = (index: number) =>
    `ServiceEntry shop/web-${index} {hosts: [s${index}.shop.svc.cluster.local], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}`;
  const mesh = (count: number) => [
    `QuotaSpec shop/a ${QUOTA}`,
    ...Array.from({ length: count }, (_, index) => entry(index)),
  ];
  const services = Array.from({ length: 999 }, (_, index) => `{name: gone-${index}}`).join();
  const wide = `QuotaSpecBinding shop/b {services: [${services}, {service: "*"}], quotaSpecs: [{name: a}]}`;
  const plain = `QuotaSpecBinding shop/b {services: [${services}], quotaSpecs: [{name: a}]}`;
  const count = (candidate: string, size: number) => saidOf(candidate, mesh(size).join('\n')).length;
  t.true(count(wide, 1000) >= 999);
  t.is(count(wide, 1001), 0);
  t.is(count(plain, 1001), 999);
});
