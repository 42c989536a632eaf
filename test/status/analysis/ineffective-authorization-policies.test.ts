import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { analysisInputOf, canDiffer, differsBeyondEndpoints } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { findIneffectiveAuthorizationPolicies } from '../../../src/status/analysis/analyzers/ineffective-authorization-policies.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { largePolicies } from '../../config/support/large-policies.js';
import { readObject } from '../../config/support/read-yaml.js';
import { contextOf } from '../../model/mesh-objects.js';
import { ENFORCEMENT, shown } from './support.js';

/** @param where `<namespace>/<name>` */
function policy(where: string, matchLabels: Readonly<Record<string, string>>) {
  const [namespace, name] = where.split('/');
  return readObject(
    JSON.stringify({
      apiVersion: 'security.mesh.internal/v1beta1',
      kind: 'AuthorizationPolicy',
      metadata: { namespace, name },
      spec: { selector: { matchLabels }, rules: [{}] },
    }),
  );
}

function pod(namespace: string, app: string) {
  const metadata = { namespace, name: app, labels: { app } };
  return readObject(JSON.stringify({ apiVersion: 'v1', kind: 'Pod', metadata, spec: {}, status: {} }));
}

const entry = readObject(
  '{apiVersion: networking.mesh.internal/v1beta1, kind: WorkloadEntry, metadata: {namespace: shop, name: vm}, ' +
    'spec: {address: 10.0.0.9, labels: {app: machine}}}',
);
const PODS = [pod('shop', 'web'), pod('safe', 'vault'), entry];

test('a selector that no pod and no WorkloadEntry has is MESH0127, in the mesh and at admission', (t) => {
  const misspelt = policy('shop/misspelt', { app: 'wbe' });
  const expected = [
    'MESH0127 AuthorizationPolicy/shop/misspelt spec.selector.matchLabels: no workload of namespace shop has app=wbe; ' +
      'correct the labels, or remove the selector to select all workloads of the namespace',
  ];
  t.deepEqual(analyze(analysisInputOf(contextOf([...PODS, misspelt]), ENFORCEMENT)).map(shown), expected);
  t.deepEqual(createCandidateAnalysis(contextOf(PODS))(misspelt, ENFORCEMENT).map(shown), expected);
});

test('a policy selects workloads of its namespace, and in the root namespace those of the mesh', (t) => {
  const said = (where: string, labels: Readonly<Record<string, string>>) =>
    createCandidateAnalysis(contextOf(PODS))(policy(where, labels), ENFORCEMENT).map(({ code }) => code);
  t.deepEqual(said('shop/a', { app: 'web' }), []);
  t.deepEqual(said('shop/a', { app: 'machine' }), []);
  t.deepEqual(said('shop/a', { app: 'vault' }), ['MESH0127']);
  t.deepEqual(said('mesh-system/a', { app: 'vault' }), []);
  t.deepEqual(said('mesh-system/a', { app: 'nothing' }), ['MESH0127']);
  t.deepEqual(said('shop/a', {}), []);
  t.deepEqual(said('empty/a', { app: 'web' }), [], 'its workloads come later');
});

test('the first field that requires a JWT is MESH0305, in the mesh and at admission', (t) => {
  const withRules = (rules: string) =>
    readObject(
      '{apiVersion: security.mesh.internal/v1beta1, kind: AuthorizationPolicy, metadata: {namespace: shop, name: jwt}, ' +
        `spec: {rules: [{}, ${rules}]}}`,
    );
  const needing = withRules('{from: [{source: {namespaces: [a]}}, {source: {requestPrincipals: ["*"]}}]}, {}');
  const expected = [
    'MESH0305 AuthorizationPolicy/shop/jwt spec.rules[1].from[1].source.requestPrincipals: this field requires a JWT, and ' +
      'no workload of the policy verifies one, so it matches no request; apply a RequestAuthentication in the same ' +
      'namespace, or describe callers by principals, namespaces or ipBlocks',
  ];
  t.deepEqual(analyze(analysisInputOf(contextOf([needing]), ENFORCEMENT)).map(shown), expected);
  t.deepEqual(createCandidateAnalysis(contextOf([]))(needing, ENFORCEMENT).map(shown), expected);

  const fieldsOf = (rule: string) =>
    createCandidateAnalysis(contextOf([]))(withRules(rule), ENFORCEMENT).map(({ field }) => field);
  const claim = (values: string) =>
    `{when: [{key: source.ip, values: [::1]}, {key: "request.auth.claims[a]", ${values}}]}`;
  t.deepEqual(fieldsOf(claim('values: [b]')), ['spec.rules[1].when[1].key']);
  t.deepEqual(fieldsOf(claim('notValues: [b]')), [], 'requests without a JWT match it');
  t.deepEqual(fieldsOf('{from: [{source: {notRequestPrincipals: ["*"]}}]}'), []);
});

test('without authz in --plugins each AuthorizationPolicy is MESH0303, in the mesh and at admission', (t) => {
  const enforcement = { ...ENFORCEMENT, isAuthzOff: true };
  const object = policy('shop/a', { app: 'web' });
  const expected = [
    'MESH0303 AuthorizationPolicy/shop/a: this AuthorizationPolicy is not enforced: --plugins does not name authz; ' +
      'add authz to --plugins; until then workloads accept every request',
  ];
  t.deepEqual(analyze(analysisInputOf(contextOf([object]), enforcement)).map(shown), expected);
  t.deepEqual(createCandidateAnalysis(contextOf([]))(object, enforcement).map(shown), expected);
});

test('a changed policy, and changed pods where a policy selects some, lead to a new analysis', (t) => {
  const selecting = policy('shop/a', { app: 'web' });
  t.true(canDiffer(contextOf([selecting]), contextOf([])));
  const objectsWith = (objects: PushContext['objects']): PushContext['objects'] =>
    new Map(objects).set('Pod', new Map());
  const before = contextOf([selecting]);
  t.true(canDiffer(before, { ...before, objects: objectsWith(before.objects) }));
  const unselecting = contextOf([policy('shop/a', {})]);
  t.false(differsBeyondEndpoints(unselecting, { ...unselecting, objects: objectsWith(unselecting.objects) }));
});

test('another WorkloadEntry or another root namespace can change which workloads a policy selects', (t) => {
  const before = contextOf([...PODS, policy('shop/a', { app: 'web' })]);
  const withoutEntries = (context: PushContext): PushContext => {
    const objects: PushContext['objects'] = new Map(context.objects).set('WorkloadEntry', new Map());
    return { ...context, objects };
  };
  t.true(canDiffer(before, withoutEntries(before)));
  t.true(canDiffer(before, { ...before, mesh: { ...before.mesh, rootNamespace: 'shop' } }));
  const withoutSelector = contextOf([...PODS, policy('shop/a', {})]);
  t.false(differsBeyondEndpoints(withoutSelector, withoutEntries(withoutSelector)));
});

test('all policies together read the pods once', (t) => {
  const policies = Array.from({ length: 20 }, (_, index) => policy(`shop/p${index}`, { app: `none-${index}` }));
  const input = analysisInputOf(contextOf([...PODS, ...policies]), ENFORCEMENT);
  const pods = input.objects.get('Pod') ?? new Map();
  let reads = 0;
  const counted = new Map(pods);
  counted.values = () => {
    reads++;
    return pods.values();
  };
  const objects = new Map(input.objects).set('Pod', counted);
  t.is(findIneffectiveAuthorizationPolicies({ ...input, objects }).length, 20);
  t.is(reads, 1);
});

test('policies that are too large together for a workload are each MESH0306', (t) => {
  const [, ...fewer] = largePolicies(6);
  const said = (objects: readonly MeshObject[]) =>
    analyze(analysisInputOf(contextOf([pod('default', 'web'), pod('shop', 'web'), ...objects]), ENFORCEMENT)).map(
      shown,
    );
  t.deepEqual(said(fewer), []);
  const found = said(largePolicies(6));
  t.is(found.length, 6);
  t.is(
    found[0],
    'MESH0306 AuthorizationPolicy/default/large-0: the 6 policies of a workload of namespace default are too large together; ' +
      'remove rules or values, join values by "*", or select fewer workloads; a workload takes 1 MiB of rules',
  );
});
