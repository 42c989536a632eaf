import test from 'ava';
import type { PolicyMeshConfig } from '../../../src/config/mesh/mesh-config.js';
import { analysisInputOf, type Enforcement } from '../../../src/status/analysis/analysis-input.js';
import { createMessage, inPod } from '../../../src/status/analysis/analysis-message.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { MESSAGE_CODES } from '../../../src/status/analysis/message-codes.js';
import { MESH } from '../../generators/context-builder.js';
import { ENFORCEMENT, messagesOf, policyContext, shown } from './support.js';

const WEB =
  'ServiceEntry shop/web {hosts: [web.shop.svc.cluster.local], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}';
const QUOTA = '{rules: [{quotas: [{quota: q}]}]}';
const API =
  '{attributes: {attributes: {api.service: {stringValue: x}}}, patterns: [{httpMethod: GET, uriTemplate: /}]}';
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
  const remedy = 'create a binding that names the spec and its services';
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
      `MESH0202 QuotaSpecBinding/shop/b spec.services[5]: no service has a host that contains .other.; ${remedy}`,
    ],
  );
});

test('a wildcard that can match nothing is MESH0205, and not also a missing service', (t) => {
  const text = `${WEB}
    QuotaSpecBinding shop/b {services: [{service: "web.*"}, {service: "*"}, {service: "*web*shop*"}], quotaSpecs: [{name: a}]}`;
  t.deepEqual(messagesOf(text, 'unusable-patterns'), [
    'MESH0205 QuotaSpecBinding/shop/b spec.services[0].service: "web.*" matches no service; use * for every service, *text* for hosts that contain a text, or a whole host name',
    'MESH0205 QuotaSpecBinding/shop/b spec.services[2].service: "*web*shop*" matches no service; use * for every service, *text* for hosts that contain a text, or a whole host name',
  ]);
  t.deepEqual(messagesOf(text, 'missing-services'), []);
});

const UNENFORCED =
  'set mixerCheckServer to embedded or host:port, and disablePolicyChecks to false, in the mesh config, and leave policy in --plugins; until then no request is refused because of it';
const POLICIES = `QuotaSpec shop/a ${QUOTA}
  QuotaSpecBinding shop/b {services: [{name: web}], quotaSpecs: [{name: a}]}
  HTTPAPISpec shop/a ${API}
  HTTPAPISpecBinding shop/b {services: [{name: web}], apiSpecs: [{name: a}]}`;

test('MESH0204 reports each policy that is not enforced once', (t) => {
  const message = (kind: string): string =>
    `this ${kind} is not enforced: mixerCheckServer of the mesh config names no server to ask; ${UNENFORCED}`;
  t.deepEqual(messagesOf(POLICIES, 'unenforced-policies'), [
    `MESH0204 HTTPAPISpec/shop/a: ${message('HTTPAPISpec')}`,
    `MESH0204 HTTPAPISpecBinding/shop/b: ${message('HTTPAPISpecBinding')}`,
    `MESH0204 QuotaSpec/shop/a: ${message('QuotaSpec')}`,
    `MESH0204 QuotaSpecBinding/shop/b: ${message('QuotaSpecBinding')}`,
  ]);
});

const CHECKED = { mixerCheckServer: 'embedded', disablePolicyChecks: false };
const REPORTED = { mixerReportServer: 'embedded', disableMixerHttpReports: false };

/** Kinds with MESH0204, and the reason in all of them. */
function unenforced(policy: Partial<PolicyMeshConfig>, enforcement: Enforcement = ENFORCEMENT): readonly string[] {
  const context = policyContext(POLICIES);
  const mesh = { ...MESH, policy: { ...MESH.policy, ...policy } };
  const messages = analyze(analysisInputOf({ ...context, mesh }, enforcement)).filter(
    ({ code }) => code === 'MESH0204',
  );
  const kinds = messages.map(({ object = '' }) => object.slice(0, object.indexOf('/')));
  const reasons = new Set(messages.map(({ message }) => /: (.*?);/.exec(message)?.[1] ?? message));
  return [...reasons, ...kinds];
}

test('policies are enforced once a check server is named and checks are not disabled', (t) => {
  t.deepEqual(unenforced(CHECKED), []);
  t.deepEqual(unenforced({ ...CHECKED, disablePolicyChecks: true, enableClientSidePolicyCheck: true }), []);
});

test('the message about a policy that is not enforced names the setting', (t) => {
  const kinds = ['HTTPAPISpec', 'HTTPAPISpecBinding', 'QuotaSpec', 'QuotaSpecBinding'];
  t.deepEqual(unenforced({ ...CHECKED, mixerCheckServer: '' }), [
    'mixerCheckServer of the mesh config names no server to ask',
    ...kinds,
  ]);
  t.deepEqual(unenforced({ ...CHECKED, disablePolicyChecks: true }), [
    'disablePolicyChecks of the mesh config is true',
    ...kinds,
  ]);
  t.deepEqual(unenforced(CHECKED, { ...ENFORCEMENT, isPluginOn: false }), ['--plugins does not name policy', ...kinds]);
});

test('an HTTPAPISpec has an effect if requests are reported, even without checks', (t) => {
  t.deepEqual(unenforced(REPORTED).slice(1), ['QuotaSpec', 'QuotaSpecBinding']);
  t.is(unenforced({ ...REPORTED, disableMixerHttpReports: true }).length, 5);
});

test('a rule that charges a quota without a limit is MESH0208, unless another server counts', (t) => {
  const context = policyContext('QuotaSpec shop/a {rules: [{quotas: [{quota: known}, {quota: other}]}]}');
  const told = (limitedQuotas: Enforcement['limitedQuotas'], mixerCheckServer = 'embedded') => {
    const mesh = { ...MESH, policy: { ...MESH.policy, mixerCheckServer } };
    return analyze(analysisInputOf({ ...context, mesh }, { ...ENFORCEMENT, limitedQuotas }))
      .filter(({ code }) => code === 'MESH0208')
      .map(shown);
  };
  t.deepEqual(told(new Map([['known', 10]])), [
    'MESH0208 QuotaSpec/shop/a spec.rules[0].quotas[1].quota: the policy server has no limit for quota other; add the quota to the file of --policyConfig, or correct its name',
  ]);
  t.is(told(new Map()).length, 2);
  t.deepEqual(told(undefined), []);
  t.deepEqual(told(new Map(), 'policy.mesh-system:15016'), []);
});

test('only a QuotaSpec whose limits several replicas count apart is MESH0261', (t) => {
  const context = policyContext(`QuotaSpec shop/limited {rules: [{quotas: [{quota: other}, {quota: known}]}]}
    QuotaSpec shop/free {rules: [{quotas: [{quota: other}, {quota: known, charge: 0}]}]}`);
  const unsharedCounters = { host: 'meshd.mesh-system.svc', replicas: 3 };
  const told = (limitedQuotas: Enforcement['limitedQuotas']) =>
    analyze(analysisInputOf(context, { ...ENFORCEMENT, limitedQuotas, unsharedCounters }))
      .filter(({ code }) => code === 'MESH0261')
      .map(shown);
  t.deepEqual(told(new Map([['known', 10]])), [
    'MESH0261 QuotaSpec/shop/limited: 3 replicas of meshd.mesh-system.svc count quotas in memory, each for itself, so they admit up to 3 times each limit; set storage in the policy configuration to a Redis that all replicas reach (overlays/redis), or run one replica',
  ]);
  t.is(told(undefined).length, 2, 'another server has the limits');
  t.deepEqual(messagesOf('QuotaSpec shop/limited {rules: [{quotas: [{quota: known}]}]}', 'unshared-counters'), []);
});

test('messages of a pod name the ConfigMap mesh-policy instead of a file', (t) => {
  const context = policyContext('QuotaSpec shop/a {rules: [{quotas: [{quota: other}, {quota: small, charge: 2}]}]}');
  const mesh = { ...MESH, policy: { ...MESH.policy, mixerCheckServer: 'embedded' } };
  const enforcement = { ...ENFORCEMENT, limitedQuotas: new Map([['small', 1]]), isPod: true };
  const told = analyze(analysisInputOf({ ...context, mesh }, enforcement)).map(shown);
  t.regex(told.find((line) => line.startsWith('MESH0208')) ?? '', /; add the quota to the ConfigMap mesh-policy, or/);
  t.regex(
    told.find((line) => line.startsWith('MESH0212')) ?? '',
    /raise maxAmount of the quota in the ConfigMap mesh-policy$/,
  );
});

test('every remedy that names a setting names the ConfigMap or the Deployment in a pod', (t) => {
  const names = Object.keys(MESSAGE_CODES) as (keyof typeof MESSAGE_CODES)[];
  let changed = 0;
  for (const name of names) {
    const message = createMessage(name, {}, 'found');
    const told = inPod(message);
    if (/--policyConfig|the mesh config|--plugins|NAV_/.test(message.message)) {
      changed++;
      t.regex(told.message, /ConfigMap mesh|Deployment meshd/, message.code);
    }
    t.notRegex(told.message, /the file of/, message.code);
  }
  t.true(changed >= 6);
});

test('messages of a pod name the place of the settings that turn enforcement off', (t) => {
  const context = policyContext('QuotaSpec shop/a {rules: [{quotas: [{quota: other}]}]}');
  const enforcement = { ...ENFORCEMENT, isPluginOn: false, isPod: true };
  const off = analyze(analysisInputOf(context, enforcement)).find(({ code }) => code === 'MESH0204');
  t.regex(
    off?.message ?? '',
    /: the argument --plugins of the Deployment meshd does not name policy; .* mesh config \(ConfigMap mesh\)/,
  );
});

test('a charge above the largest limit of a quota is MESH0212, unless the limit is 0', (t) => {
  const context = policyContext('QuotaSpec shop/a {rules: [{quotas: [{quota: small, charge: 11}]}]}');
  const told = (limit: number) => {
    const mesh = { ...MESH, policy: { ...MESH.policy, mixerCheckServer: 'embedded' } };
    const enforcement = { ...ENFORCEMENT, limitedQuotas: new Map([['small', limit]]) };
    return analyze(analysisInputOf({ ...context, mesh }, enforcement))
      .filter(({ code }) => code === 'MESH0212')
      .map(shown);
  };
  t.deepEqual(told(10), [
    'MESH0212 QuotaSpec/shop/a spec.rules[0].quotas[0].charge: a request is charged 11 of quota small, whose limit is 10; lower the charge, or raise maxAmount of the quota in the file of --policyConfig',
  ]);
  t.deepEqual(told(11), []);
  t.deepEqual(told(0), []);
});

test('a policy server at a service port that does not speak gRPC is MESH0209', (t) => {
  const context = policyContext(
    'ServiceEntry shop/policy {hosts: [policy.example.com], ports: [{number: 91, name: http, protocol: HTTP}, {number: 92, name: rpc, protocol: GRPC}]}',
  );
  const told = (mixerCheckServer: string, mixerReportServer = '') => {
    const mesh = { ...MESH, policy: { ...MESH.policy, mixerCheckServer, mixerReportServer } };
    return analyze(analysisInputOf({ ...context, mesh }, ENFORCEMENT)).map(shown);
  };
  const message = (setting: string) =>
    `MESH0209 ServiceEntry/shop/policy: ${setting} of the mesh config is policy.example.com:91, but the protocol of that port (http) is http; name the port grpc-…, or set its appProtocol to grpc`;
  t.deepEqual(told('policy.example.com:91'), [message('mixerCheckServer')]);
  t.deepEqual(told('policy.example.com:92', 'policy.example.com:91'), [message('mixerReportServer')]);
  t.deepEqual(told('policy.example.com:92'), []);
  t.deepEqual(told('policy.example.com:93'), []);
  t.deepEqual(told('embedded', 'other.example.com:91'), []);
});

test('quotas of a service with a port of no declared protocol are MESH0210, once for each binding', (t) => {
  const entry = (index: number, port: string) =>
    `ServiceEntry shop/s${index} {hosts: [s${index}.shop.svc.cluster.local], ports: [{number: ${index}, name: ${port}}]}`;
  const entries = [entry(1, 'main'), entry(2, 'main'), entry(3, 'web, protocol: HTTP')];
  const binding = (name: string, bound: string) =>
    `QuotaSpecBinding shop/${name} {services: [${bound}], quotaSpecs: [{name: a}]}`;
  const told = (bindings: string) => messagesOf(`${entries.join('\n')}\n${bindings}`, 'undeclared-protocols');
  const message = (name: string, more: string) =>
    `MESH0210 QuotaSpecBinding/shop/${name} spec.services: port 1 (main) of s1.shop.svc.cluster.local${more} declares no protocol: a caller can disguise HTTP requests as TCP, and is then charged once for each connection; name the port http-…, grpc-… or tcp-…, or set its appProtocol`;
  t.deepEqual(told(`${binding('one', '{name: s1}, {name: s3}')}\n${binding('all', '{service: "*"}')}`), [
    message('all', ', and 1 more port,'),
    message('one', ''),
  ]);
  t.deepEqual(told(binding('declared', '{name: s3}')), []);
});

test('policies that fit together get only the message that they are not enforced', (t) => {
  t.deepEqual(
    messagesOf(`${WEB}\n${POLICIES}`).filter((message) => !message.startsWith('MESH0204')),
    [],
  );
});

test('a mesh without policies has no message', (t) => {
  t.deepEqual(messagesOf(WEB), []);
});

test('MESH0001 reports an analyzer that throws, and the others still run', (t) => {
  const input = analysisInputOf(policyContext(''), ENFORCEMENT);
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
      message: 'analyzer broken failed: no such field; report the error, with the message',
    },
    { code: 'MESH9999', level: 'Info', object: 'A/b/c', message: 'seen' },
  ]);
});
