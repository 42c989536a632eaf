import test from 'ava';
import type { AdmissionRequest } from '../../../src/webhooks/admission/admission-request.js';
import { judgeRequest } from '../../../src/webhooks/validation/judge-request.js';
import { asked, kinds, QUOTA_SPEC } from '../fixtures/ask.js';

const judge = (object: unknown, fields: Partial<AdmissionRequest> = {}) => judgeRequest(asked(object, fields), kinds);
const inNetworking = (kind: string, version: string, spec: object) => ({
  apiVersion: `networking.mesh.internal/${version}`,
  kind,
  metadata: { name: 'limits' },
  spec,
});
const VALID: readonly (readonly [what: string, object: object])[] = [
  ['a QuotaSpec', QUOTA_SPEC],
  [
    'a QuotaSpecBinding',
    {
      ...QUOTA_SPEC,
      kind: 'QuotaSpecBinding',
      spec: { services: [{ name: 'web' }], quotaSpecs: [{ name: 'limits' }] },
    },
  ],
  [
    'an HTTPAPISpec',
    { ...QUOTA_SPEC, kind: 'HTTPAPISpec', spec: { patterns: [{ httpMethod: 'GET', uriTemplate: '/' }] } },
  ],
  [
    'an HTTPAPISpecBinding',
    { ...QUOTA_SPEC, kind: 'HTTPAPISpecBinding', spec: { services: [{ name: 'web' }], apiSpecs: [{ name: 'api' }] } },
  ],
  [
    'a rule whose handler comes later',
    { ...QUOTA_SPEC, kind: 'rule', spec: { actions: [{ handler: 'later', instances: ['i'] }] } },
  ],
  ['a rule whose attribute comes later', { ...QUOTA_SPEC, kind: 'rule', spec: { match: 'request.tier == "gold"' } }],
  ['a ServiceEntry', inNetworking('ServiceEntry', 'v1beta1', { hosts: ['a.com'] })],
  ['a ServiceEntry of v1alpha3', inNetworking('ServiceEntry', 'v1alpha3', { hosts: ['a.com'] })],
  ['a WorkloadEntry', inNetworking('WorkloadEntry', 'v1beta1', { address: '10.0.0.1' })],
  [
    'a PeerAuthentication',
    {
      apiVersion: 'security.mesh.internal/v1beta1',
      kind: 'PeerAuthentication',
      metadata: { name: 'default' },
      spec: { mtls: { mode: 'STRICT' } },
    },
  ],
];

for (const [what, object] of VALID) {
  for (const operation of ['CREATE', 'UPDATE']) {
    test(`${what} passes on ${operation}`, (t) => {
      t.like(judge(object, { operation }), { type: 'passed', object: { metadata: { namespace: 'shop' } } });
    });
  }
}

for (const operation of ['DELETE', 'CONNECT', 'PATCH']) {
  test(`the operation ${operation} is not validated`, (t) => {
    t.deepEqual(judge(undefined, { operation }), { type: 'unsupported', reason: 'unsupported_operation' });
  });
}

for (const object of [undefined, null, 'text', 7, ['list']]) {
  test(`an object that is ${JSON.stringify(object)} cannot be decoded`, (t) => {
    t.deepEqual(judge(object, { kind: { group: 'a', version: 'b', kind: 'c' } }), {
      type: 'refused',
      reason: 'yaml_decode_error',
      message: 'cannot decode configuration: it is not an object',
    });
  });
}

test('an unknown kind is rejected with its name', (t) => {
  t.deepEqual(judge(inNetworking('Telemetry', 'v1beta1', {})), {
    type: 'refused',
    reason: 'unknown_type',
    message:
      'unrecognized type Telemetry: kind: "Telemetry": is not a kind of networking.mesh.internal; its supported kinds ' +
      'are ServiceEntry, WorkloadEntry, VirtualService, DestinationRule, Gateway, Sidecar, EnvoyFilter',
  });
  t.like(judge({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'a' } }), {
    message: 'unrecognized type Pod',
  });
});

test('an unknown version is rejected, with the known ones', (t) => {
  t.like(judge(inNetworking('ServiceEntry', 'v7', {})), {
    reason: 'unknown_type',
    message:
      'unrecognized type ServiceEntry: apiVersion: "networking.mesh.internal/v7": is not a supported version of ServiceEntry; ' +
      'did you mean networking.mesh.internal/v1beta1 or networking.mesh.internal/v1alpha3?',
  });
});

test('a spec with wrong types is a decoding error with object, field, value and remedy', (t) => {
  t.deepEqual(judge({ ...QUOTA_SPEC, spec: { rules: [{ quotas: [{ quota: 'a', charge: 'many' }] }] } }), {
    type: 'refused',
    reason: 'crd_conversion_error',
    message:
      'error decoding configuration: QuotaSpec shop/limits: spec.rules[0].quotas[0].charge: "many": ' +
      'is a string, not an integer; give an integer',
  });
});

test('a spec that breaks a rule is invalid, with object, field, value and remedy', (t) => {
  const rules = [{ match: [{ clause: { 'request.path': { regex: '(' } } }], quotas: [{ quota: 'a' }] }];
  t.deepEqual(judge({ ...QUOTA_SPEC, spec: { rules } }), {
    type: 'refused',
    reason: 'invalid_resource',
    message:
      'configuration is invalid: QuotaSpec shop/limits: spec.rules[0].match[0].clause["request.path"].regex: "(": ' +
      'is not a regular expression: missing closing ): `(`; use RE2 syntax, which has no look-around and no back references',
  });
});

test('several errors are counted and listed', (t) => {
  const spec = { hosts: ['*', 'a b'] };
  const verdict = judge(inNetworking('ServiceEntry', 'v1beta1', spec));
  t.is(verdict.type, 'refused');
  if (verdict.type !== 'refused') return;
  const [head, ...bullets] = verdict.message.trimEnd().split('\n');
  t.is(head, `configuration is invalid: ${bullets.length} errors occurred:`);
  t.true(bullets.length >= 2);
  for (const bullet of bullets) t.regex(bullet, /^\t\* ServiceEntry shop\/limits: spec\.hosts\[\d\]: /);
});

test('a field beside apiVersion, kind, metadata, spec and status is rejected with its name', (t) => {
  t.deepEqual(judge({ ...QUOTA_SPEC, specc: {}, status: {} }), {
    type: 'refused',
    reason: 'invalid_resource',
    message: 'unknown field "specc" on QuotaSpec resource shop/limits',
  });
});

test('errors of the spec come before unknown fields', (t) => {
  t.like(judge({ ...QUOTA_SPEC, specc: {}, spec: { rules: 'all' } }), { reason: 'crd_conversion_error' });
});

test('unknown fields of a spec are accepted and reported', (t) => {
  const verdict = judge({ ...QUOTA_SPEC, spec: { ...QUOTA_SPEC.spec, rulez: [] } });
  t.like(verdict, { type: 'passed', unknownFields: { 0: { path: 'spec.rulez', remedy: 'did you mean rules?' } } });
});

test('an object with a generateName is validated without its name', (t) => {
  const metadata = { generateName: 'limits-', namespace: 'shop' };
  t.like(judge({ ...QUOTA_SPEC, metadata }, { name: '' }), { type: 'passed' });
  t.like(judge({ ...QUOTA_SPEC, metadata: { generateName: 'a'.repeat(200) } }, { name: '' }), { type: 'passed' });
  t.like(judge({ ...QUOTA_SPEC, metadata: { generateName: 'Bad Name' } }, { name: '' }), {
    reason: 'invalid_resource',
  });
  t.like(judge({ ...QUOTA_SPEC, metadata: {} }, { name: '' }), { reason: 'crd_conversion_error' });
});

test('an object that is being deleted passes, so that its finalizers can be removed', (t) => {
  const metadata = { ...QUOTA_SPEC.metadata, deletionTimestamp: '2026-01-01T00:00:00Z' };
  t.deepEqual(judge({ ...QUOTA_SPEC, metadata, spec: {} }, { operation: 'UPDATE' }), {
    type: 'passed',
    unknownFields: [],
  });
});

test('the status of an object is not validated', (t) => {
  t.like(judge({ ...QUOTA_SPEC, spec: {} }, { operation: 'UPDATE', subResource: 'status' }), { type: 'passed' });
});

const RULE = { apiVersion: 'config.mesh.internal/v1alpha2', kind: 'rule', metadata: { name: 'a' } };
const ofRule = { kind: { group: 'config.mesh.internal', version: 'v1alpha2', kind: 'rule' } };

test('a rule is read, its deletion passes, and other operations are not supported', (t) => {
  t.like(judge(RULE, ofRule), { type: 'passed', object: { kind: 'rule' } });
  t.deepEqual(judge(undefined, { ...ofRule, operation: 'DELETE' }), { type: 'passed', unknownFields: [] });
  t.like(judge(undefined, { ...ofRule, operation: 'CONNECT' }), { type: 'unsupported' });
});

test('a deletion of a rule without a name is rejected', (t) => {
  t.deepEqual(judge(undefined, { ...ofRule, operation: 'DELETE', name: '' }), {
    type: 'refused',
    reason: 'unknown_type',
    message: 'illformed request: name not found on delete request',
  });
});

const annotated = (annotations: Readonly<Record<string, string>>) => ({
  ...inNetworking('ServiceEntry', 'v1beta1', { hosts: ['a.com'] }),
  metadata: { name: 'limits', annotations },
});
const WRONG_POLICY = annotated({ 'policy.mesh.internal/failPolicy': 'open' });

test('a ServiceEntry with an unreadable fail policy is rejected, with the annotation and the remedy', (t) => {
  const verdict = judge(WRONG_POLICY, { operation: 'CREATE' });
  t.like(verdict, { type: 'refused', reason: 'invalid_resource' });
  t.regex(
    verdict.type === 'refused' ? verdict.message : '',
    /metadata\.annotations\[policy\.mesh\.internal\/failPolicy\]: "open": counts as FAIL_CLOSE; use FAIL_OPEN or FAIL_CLOSE/,
  );
  t.like(judge(annotated({ 'policy.mesh.internal/failPolicy': 'FAIL_OPEN' })), { type: 'passed', concerns: undefined });
});

test('a ServiceEntry that already had such an annotation can change, with a warning', (t) => {
  const verdict = judge(WRONG_POLICY, { operation: 'UPDATE', oldObject: WRONG_POLICY });
  t.deepEqual(verdict.type === 'passed' && verdict.concerns?.map(({ code }) => code), ['MESH0125']);
});

test('a rule with a wrong expression and a handler with a wrong parameter are rejected with field, value and remedy', (t) => {
  t.like(judge({ ...QUOTA_SPEC, kind: 'rule', spec: { match: 'request.size' } }), {
    type: 'refused',
    message:
      'configuration is invalid: rule shop/limits: spec.match: "request.size": has the type INT64, and the field needs BOOL; ' +
      'use an expression of the type BOOL',
  });
  t.like(judge({ ...QUOTA_SPEC, kind: 'handler', spec: { compiledAdapter: 'denier', params: { staus: {} } } }), {
    type: 'refused',
    message:
      'configuration is invalid: handler shop/limits: spec.params.staus: {}: is not a known field; did you mean status?',
  });
});
