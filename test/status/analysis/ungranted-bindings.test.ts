import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { analysisInputOf, canDiffer } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { messageLine } from '../../../src/webhooks/validation/warning-lines.js';
import { service } from '../../model/mesh-objects.js';
import { namespaceThatGrants, ofCluster, tenantMesh } from '../../model/policy/tenant-objects.js';
import { factsOf, told } from '../conditions/support.js';
import { ENFORCEMENT, policyObject } from './support.js';

const COMMAND = 'kubectl annotate --overwrite namespace shop policy.mesh.internal/bindings-from=evil';
const SPEC = 'QuotaSpec evil/none {rules: [{quotas: [{quota: q}]}]}';
const binding = (services: string, specs = '{name: none}') =>
  `QuotaSpecBinding evil/b {services: [${services}], quotaSpecs: [${specs}]}`;

/** The messages about missing grants, as `field: text`. */
function said(objects: readonly MeshObject[]): readonly string[] {
  return analyze(analysisInputOf(tenantMesh(objects).context, ENFORCEMENT))
    .filter(({ code }) => code === 'MESH0214')
    .map(({ field, message }) => `${field}: ${message.split(';')[0]}`);
}

test('the service of another namespace is named with the command that its owner has to run', (t) => {
  const objects = [ofCluster(SPEC), ofCluster(binding('{name: web}, {name: web, namespace: shop}'))];
  t.deepEqual(said(objects), [`spec.services[1]: namespace shop grants no access to bindings of evil: run ${COMMAND}`]);
  t.deepEqual(said([...objects, namespaceThatGrants('shop', '*')]), []);
});

test('the message about a wildcard names the namespaces on which it has no effect', (t) => {
  const objects = [ofCluster(SPEC), ofCluster(binding('{service: "*"}'))];
  const of = 'kubectl annotate --overwrite namespace bank policy.mesh.internal/bindings-from=evil';
  t.deepEqual(said(objects), [
    `spec.services[0]: has no effect on services of bank, shop, which grant no access: run ${of}`,
  ]);
  t.deepEqual(said([...objects, namespaceThatGrants('bank', 'evil')]), [
    `spec.services[0]: has no effect on services of shop, which grant no access: run ${COMMAND}`,
  ]);
});

test('the message about a wildcard does not reveal services that its namespace does not see', (t) => {
  const annotations = { 'networking.mesh.internal/exportTo': '.' };
  const hidden = service('vault/keys', {}, { annotations });
  t.deepEqual(said([ofCluster(SPEC), ofCluster(binding('{service: "*keys*"}')), hidden]), []);
});

test('the message about a spec of another namespace is the same whether the spec exists or not', (t) => {
  const reference = ofCluster(binding('{name: web}', '{name: secret, namespace: shop}'));
  const text = `spec.quotaSpecs[0]: namespace shop does not let bindings of evil use QuotaSpec/shop/secret: run ${COMMAND}`;
  const secret = ofCluster('QuotaSpec shop/secret {rules: [{quotas: [{quota: q}]}]}');
  t.deepEqual(said([reference]), [text]);
  t.deepEqual(said([reference, secret]), [text]);
  const codes = analyze(analysisInputOf(tenantMesh([reference, secret]).context, ENFORCEMENT))
    .filter(({ object }) => object === 'QuotaSpec/shop/secret')
    .map(({ code }) => code);
  t.true(codes.includes('MESH0201'), 'no other binding names it, so its own namespace learns that it is unbound');
});

test('bindings from files and from the root namespace need no grant', (t) => {
  t.deepEqual(said([policyObject(SPEC), policyObject(binding('{service: "*"}'))]), []);
  t.deepEqual(
    said([SPEC, binding('{service: "*"}')].map((line) => ofCluster(line.replace(' evil/', ' mesh-system/')))),
    [],
  );
});

test('the admission warning contains the command, within the length that an API server passes on', (t) => {
  const { context } = tenantMesh([ofCluster(SPEC)]);
  const messages = createCandidateAnalysis(context)(ofCluster(binding('{name: web, namespace: shop}')), ENFORCEMENT);
  const [line = ''] = messages.filter(({ code }) => code === 'MESH0214').map(messageLine);
  t.true(line.includes(COMMAND), line);
  t.true(line.length <= 256);
});

test('ResolvedRefs names the missing grant', (t) => {
  const objects = [ofCluster(SPEC), ofCluster(binding('{name: web, namespace: shop}'))];
  const messages = analyze(analysisInputOf(tenantMesh(objects).context, ENFORCEMENT)).filter(
    ({ object, code }) => object === 'QuotaSpecBinding/evil/b' && code === 'MESH0214',
  );
  const [, resolvedRefs = ''] = told(factsOf({ key: 'QuotaSpecBinding/evil/b', messages }));
  t.regex(resolvedRefs, /^ResolvedRefs=False RefNotPermitted: /);
  t.true(resolvedRefs.includes(COMMAND), resolvedRefs);
});

test('a changed grant leads to a new analysis', (t) => {
  const { context } = tenantMesh([]);
  const granted = tenantMesh([namespaceThatGrants('shop', 'evil')]).context;
  t.true(canDiffer({ ...granted, bindingGrants: context.bindingGrants }, granted));
});
