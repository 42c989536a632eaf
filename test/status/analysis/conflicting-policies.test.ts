import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { analysisInputOf } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { listenerConflicts, policiesWithoutListener } from '../../../src/status/analysis/listener-conflicts.js';
import { contextOf, port, service } from '../../model/mesh-objects.js';
import { factsOf, told } from '../conditions/support.js';
import { ENFORCEMENT, policyObject, policyObjects, shown } from './support.js';

const REMEDY = 'resolve the conflict of the services, or bind the specs to both';
const CODES = ['MESH0219', 'MESH0502', 'MESH0503'];

/** A spec and a binding of the service, of a namespace. */
function policiesFor(namespace: string, item: string): readonly MeshObject[] {
  return policyObjects(`QuotaSpec ${namespace}/a {rules: [{quotas: [{quota: q}]}]}
    QuotaSpecBinding ${namespace}/b {services: [{name: other}, ${item}], quotaSpecs: [{name: a}]}`);
}

function messagesOf(...objects: readonly MeshObject[]) {
  return analyze(analysisInputOf(contextOf(objects), ENFORCEMENT)).filter(({ code }) => CODES.includes(code));
}

const aged = (path: string, creationTimestamp: string): MeshObject =>
  service(path, { clusterIP: '10.96.0.1', ports: [port(80)] }, { creationTimestamp });
const SERVICES = [aged('shop/young', '2026-02-01T00:00:00Z'), aged('shop/old', '2026-01-01T00:00:00Z')];

test('a binding and spec of a Service that shares its cluster IP with an older one are MESH0219, and the status names it', (t) => {
  const text =
    '10.96.0.1 is also the cluster IP of old.shop.svc.cluster.local, which receives the connections to the ports that both have';
  const found = messagesOf(...SERVICES, ...policiesFor('shop', '{name: young}'));
  t.deepEqual(found.map(shown), [
    `MESH0219 QuotaSpec/shop/a: ${text}; ${REMEDY}`,
    `MESH0219 QuotaSpecBinding/shop/b spec.services[1]: ${text}; ${REMEDY}`,
    `MESH0502 Service/shop/young spec.clusterIP: ${text}; give one of the Services another clusterIP`,
  ]);
  const ofBinding = found.filter(({ object }) => object === 'QuotaSpecBinding/shop/b');
  t.is(
    told(factsOf({ key: 'QuotaSpecBinding/shop/b', messages: ofBinding })).at(-1),
    `Reconciled=True PartlyWithoutEffect: 3/3 proxies up to date. Without effect: spec.services[1] (MESH0219): ${text}; ${REMEDY}.`,
  );
  t.deepEqual(
    messagesOf(...SERVICES, ...policiesFor('shop', '{name: old}')).map(({ code }) => code),
    ['MESH0502'],
  );
});

test('admission warns about a binding of a Service that shares its cluster IP', (t) => {
  const [spec, binding] = policiesFor('shop', '{name: young}');
  if (spec === undefined || binding === undefined) throw new Error('there are no policies');
  const analysis = createCandidateAnalysis(contextOf([...SERVICES, spec]));
  t.true(analysis(binding, ENFORCEMENT).some(({ code, field }) => code === 'MESH0219' && field === 'spec.services[1]'));
});

test('ServiceEntries of two namespaces for one host are MESH0503, and the policies of the losing one MESH0219', (t) => {
  const entry = (namespace: string, creationTimestamp: string): MeshObject => {
    const object = policyObject(
      `ServiceEntry ${namespace}/api {hosts: [api.example.com], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}], resolution: STATIC}`,
    );
    return { ...object, metadata: { ...object.metadata, creationTimestamp } };
  };
  const entries = [entry('shop', '2026-01-01T00:00:00Z'), entry('bank', '2026-02-01T00:00:00Z')];
  const text =
    'ServiceEntry/shop/api has host api.example.com too; each namespace gets its own service of the host, or else the oldest one';
  t.deepEqual(messagesOf(...entries, ...policiesFor('bank', '{service: api.example.com}')).map(shown), [
    `MESH0219 QuotaSpec/bank/a: ${text}; ${REMEDY}`,
    `MESH0219 QuotaSpecBinding/bank/b spec.services[1]: ${text}; ${REMEDY}`,
    `MESH0503 ServiceEntry/bank/api: ${text}; remove one of the objects, or limit their exportTo`,
  ]);
  t.deepEqual(messagesOf(...entries.slice(0, 1)), []);
});

test('policies of a service without a listener are MESH0219', (t) => {
  const objects = [...SERVICES, ...policiesFor('shop', '{service: "*"}')];
  const conflicts = listenerConflicts([
    {
      metric: 'nav_conflict_outbound_listener_tcp_over_current_tcp',
      key: '10.96.0.1:80',
      message: 'Listener=10.96.0.1:80',
      object: 'Service/shop/young',
    },
  ]);
  const input = analysisInputOf(contextOf(objects), ENFORCEMENT);
  const text =
    'an older service has the address and port of young.shop.svc.cluster.local (see MESH0401 of Service/shop/young)';
  t.deepEqual(policiesWithoutListener(input, conflicts).map(shown), [
    `MESH0219 QuotaSpecBinding/shop/b spec.services[1]: ${text}; ${REMEDY}`,
    `MESH0219 QuotaSpec/shop/a: ${text}; ${REMEDY}`,
  ]);
  t.deepEqual(policiesWithoutListener(input, []), []);
});
