import test from 'ava';
import { analysisInputOf } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { MESH } from '../../generators/context-builder.js';
import { messagesOf, policyContext, shown } from './support.js';

const WEB = 'ServiceEntry shop/web {hosts: [web.shop.svc.cluster.local]}';
const QUOTA = '{rules: [{quotas: [{quota: q}]}]}';
const API = '{patterns: [{httpMethod: GET, uriTemplate: /}]}';
const QUOTA_MISSING = 'create the resource, or correct name and namespace of the reference';

test('a reference to a missing spec is MESH0101, at its place in the binding', (t) => {
  t.deepEqual(
    messagesOf(
      `QuotaSpec shop/a ${QUOTA}
      QuotaSpecBinding shop/b {services: [{name: web}], quotaSpecs: [{name: a}, {name: gone}, {name: a, namespace: other}]}
      HTTPAPISpecBinding shop/b {services: [{name: web}], apiSpecs: [{name: a}]}`,
      'dangling-references',
    ),
    [
      `MESH0101 HTTPAPISpecBinding/shop/b spec.apiSpecs[0]: HTTPAPISpec/shop/a does not exist; ${QUOTA_MISSING}`,
      `MESH0101 QuotaSpecBinding/shop/b spec.quotaSpecs[1]: QuotaSpec/shop/gone does not exist; ${QUOTA_MISSING}`,
      `MESH0101 QuotaSpecBinding/shop/b spec.quotaSpecs[2]: QuotaSpec/other/a does not exist; ${QUOTA_MISSING}`,
    ],
  );
});

test('a spec that no binding names is MESH0201', (t) => {
  const remedy = 'write a binding that names it and the services that it is for';
  t.deepEqual(
    messagesOf(
      `QuotaSpec shop/bound ${QUOTA}
      QuotaSpec shop/lonely ${QUOTA}
      HTTPAPISpec shop/bound ${API}
      QuotaSpecBinding shop/b {services: [{name: web}], quotaSpecs: [{name: bound}]}`,
      'unbound-specs',
    ),
    [
      `MESH0201 HTTPAPISpec/shop/bound: no HTTPAPISpecBinding names this HTTPAPISpec; ${remedy}`,
      `MESH0201 QuotaSpec/shop/lonely: no QuotaSpecBinding names this QuotaSpec; ${remedy}`,
    ],
  );
});

test('a service of a binding that does not exist is MESH0202; so is a wildcard that matches none', (t) => {
  const remedy = 'correct name, namespace and domain of the service, or create it';
  const services =
    '{name: web}, {name: gone}, {service: web.shop.svc.cluster.local}, {service: x.example.com}, {service: "*.shop.*"}, {service: "*.other.*"}, {service: "*"}';
  t.deepEqual(
    messagesOf(
      `${WEB}
      QuotaSpecBinding shop/b {services: [${services}], quotaSpecs: [{name: a}]}
      HTTPAPISpecBinding shop/b {services: [{name: gone}], apiSpecs: [{name: a}]}`,
      'missing-services',
    ),
    [
      `MESH0202 HTTPAPISpecBinding/shop/b spec.services[0]: there is no service gone.shop.svc.cluster.local; ${remedy}`,
      `MESH0202 QuotaSpecBinding/shop/b spec.services[1]: there is no service gone.shop.svc.cluster.local; ${remedy}`,
      `MESH0202 QuotaSpecBinding/shop/b spec.services[3]: there is no service x.example.com; ${remedy}`,
      `MESH0202 QuotaSpecBinding/shop/b spec.services[5]: the host of no service contains .other.; ${remedy}`,
    ],
  );
});

test('a wildcard that can match nothing is MESH0205, and not a missing service too', (t) => {
  const text = `${WEB}
    QuotaSpecBinding shop/b {services: [{service: "web.*"}, {service: "*"}, {service: "*web*shop*"}], quotaSpecs: [{name: a}]}`;
  t.deepEqual(messagesOf(text, 'unusable-patterns'), [
    'MESH0205 QuotaSpecBinding/shop/b spec.services[0].service: "web.*" matches no service; use * for every service, *text* for hosts that contain a text, or a whole host name',
    'MESH0205 QuotaSpecBinding/shop/b spec.services[2].service: "*web*shop*" matches no service; use * for every service, *text* for hosts that contain a text, or a whole host name',
  ]);
  t.deepEqual(messagesOf(text, 'missing-services'), []);
});

test('labels of a service in a binding are MESH0206', (t) => {
  t.deepEqual(
    messagesOf(
      'HTTPAPISpecBinding shop/b {services: [{name: web}, {name: web, labels: {version: v1}}], apiSpecs: [{name: a}]}',
      'unused-labels',
    ),
    [
      'MESH0206 HTTPAPISpecBinding/shop/b spec.services[1].labels: the labels are not looked at; remove the labels, and match requests by attributes in the spec',
    ],
  );
});

const UNENFORCED = 'do not rely on it: no request is checked, charged or refused because of it';
const POLICIES = `QuotaSpec shop/a ${QUOTA}
  QuotaSpecBinding shop/b {services: [{name: web}], quotaSpecs: [{name: a}]}
  HTTPAPISpec shop/a ${API}
  HTTPAPISpecBinding shop/b {services: [{name: web}], apiSpecs: [{name: a}]}`;

test('every policy object is told once that nothing enforces it, MESH0204', (t) => {
  const message = (kind: string): string =>
    `nothing in this version enforces a ${kind} yet, and mixerCheckServer of the mesh config names no server to ask; ${UNENFORCED}`;
  t.deepEqual(messagesOf(POLICIES, 'unenforced-policies'), [
    `MESH0204 HTTPAPISpec/shop/a: ${message('HTTPAPISpec')}`,
    `MESH0204 HTTPAPISpecBinding/shop/b: ${message('HTTPAPISpecBinding')}`,
    `MESH0204 QuotaSpec/shop/a: ${message('QuotaSpec')}`,
    `MESH0204 QuotaSpecBinding/shop/b: ${message('QuotaSpecBinding')}`,
  ]);
});

test('a mesh config with a check server is not blamed for policies that are not enforced', (t) => {
  const context = policyContext(`QuotaSpec shop/a ${QUOTA}`);
  const mesh = { ...MESH, policy: { ...MESH.policy, mixerCheckServer: 'policy.mesh-system:9091' } };
  t.deepEqual(
    analyze(analysisInputOf({ ...context, mesh }))
      .filter(({ code }) => code === 'MESH0204')
      .map(shown),
    [`MESH0204 QuotaSpec/shop/a: nothing in this version enforces a QuotaSpec yet; ${UNENFORCED}`],
  );
});

test('policies that fit together have no other message than that nothing enforces them', (t) => {
  t.deepEqual(
    messagesOf(`${WEB}\n${POLICIES}`).filter((message) => !message.startsWith('MESH0204')),
    [],
  );
});

test('a mesh without policies has no message', (t) => {
  t.deepEqual(messagesOf(WEB), []);
});

test('an analyzer that fails is told as MESH0001, and the others go on', (t) => {
  const input = analysisInputOf(policyContext(''));
  const messages = analyze(input, {
    broken: () => {
      throw new Error('no such field');
    },
    sound: () => [{ code: 'MESH9999', level: 'Info', object: 'A/b/c', message: 'seen' }],
  });
  t.deepEqual(messages, [
    {
      code: 'MESH0001',
      level: 'Error',
      message: 'analyzer broken failed: no such field; report it, with the message',
    },
    { code: 'MESH9999', level: 'Info', object: 'A/b/c', message: 'seen' },
  ]);
});
