import test from 'ava';
import { createCandidateWarnings } from '../../../src/webhooks/validation/candidate-warnings.js';
import { ENFORCEMENT, policyContext, policyObject } from '../../status/analysis/support.js';
import { createFakeClock } from '../../support/fake-clock.js';

const WEB =
  'ServiceEntry shop/web {hosts: [web.shop.svc.cluster.local], location: MESH_INTERNAL, ports: [{number: 80, name: http, protocol: HTTP}]}';
const QUOTA = '{rules: [{quotas: [{quota: q}]}]}';
const BINDING = policyObject('QuotaSpecBinding shop/b {services: [{name: web}], quotaSpecs: [{name: a}]}');
const MISSING =
  'MESH0101: spec.quotaSpecs[0]: QuotaSpec/shop/a does not exist; ' +
  'create the resource, or correct name and namespace of the reference';

function createRig(maxWaiting = 32) {
  const clock = createFakeClock();
  const warnings = createCandidateWarnings({ clock, enforcement: () => ENFORCEMENT, maxWaiting });
  const abort = new AbortController();
  return {
    clock,
    abort,
    observe: (text: string) => warnings.observe(enforced(text)),
    ask: (object = BINDING, isNew = true) => warnings.warningsOf(object, isNew, abort.signal),
  };
}

/** Checks are on, so that there is no MESH0204. */
function enforced(text: string) {
  const context = policyContext(text);
  const policy = { ...context.mesh.policy, mixerCheckServer: 'embedded', disablePolicyChecks: false };
  const reports = { mixerReportServer: 'embedded', disableMixerHttpReports: false };
  return { ...context, mesh: { ...context.mesh, policy: { ...policy, ...reports } } };
}

test('without a snapshot there are no warnings', (t) => {
  t.deepEqual(createRig().ask(), []);
});

test('a correct object is answered immediately', (t) => {
  const rig = createRig();
  rig.observe(`${WEB}\nQuotaSpec shop/a ${QUOTA}`);
  t.deepEqual(rig.ask(), []);
  t.is(rig.clock.timers, 0);
});

test('the warning about a missing spec comes after half a second', async (t) => {
  const rig = createRig();
  rig.observe(WEB);
  const said = rig.ask();
  rig.clock.advance(499);
  t.is(rig.clock.timers, 1);
  rig.clock.advance(1);
  t.deepEqual(await said, [MISSING]);
  t.is(rig.clock.timers, 0);
});

test('a spec that was applied just before its binding is not missing', async (t) => {
  const rig = createRig();
  rig.observe('');
  const said = rig.ask();
  rig.observe(WEB);
  t.is(rig.clock.timers, 1);
  rig.observe(`${WEB}\nQuotaSpec shop/a ${QUOTA}`);
  t.deepEqual(await said, []);
  t.is(rig.clock.timers, 0);
});

test('a closed connection ends the wait', async (t) => {
  const rig = createRig();
  rig.observe(WEB);
  const said = rig.ask();
  rig.abort.abort();
  t.deepEqual(await said, [MISSING]);
  t.is(rig.clock.timers, 0);
  t.deepEqual(rig.ask(), [MISSING]);
});

test('a limited number of requests wait, and the others are answered immediately', (t) => {
  const rig = createRig(2);
  rig.observe(WEB);
  t.true(rig.ask() instanceof Promise);
  t.true(rig.ask() instanceof Promise);
  t.deepEqual(rig.ask(), [MISSING]);
});

test('a spec without a binding causes a warning, unless it is new', (t) => {
  const rig = createRig();
  rig.observe(WEB);
  const spec = policyObject(`QuotaSpec shop/a ${QUOTA}`);
  t.deepEqual(rig.ask(spec, true), []);
  t.deepEqual(rig.ask(spec, false), [
    'MESH0201: no QuotaSpecBinding names this QuotaSpec; create a binding that names the spec and its services',
  ]);
});

test('missing fields that change the effect of a policy cause warnings immediately', (t) => {
  const rig = createRig();
  rig.observe(`${WEB}\nQuotaSpec shop/a ${QUOTA}`);
  const told = (line: string): string => String(rig.ask(policyObject(line)));
  t.regex(told('QuotaSpec shop/a {}'), /^MESH0241: spec\.rules: there are no rules, so nothing is charged; /);
  t.regex(told('QuotaSpec shop/a {rules: [{}]}'), /^MESH0241: spec\.rules\[0\]: the rule has no quotas/);
  t.regex(told('QuotaSpec shop/a {rules: [{quotas: [{charge: 1}]}]}'), /^MESH0241: .*the quota has no name/);
  t.regex(told('QuotaSpec shop/a {rules: [{quotas: [{quota: q, charge: 0}]}]}'), /^MESH0241: .*q is charged 0/);
  t.regex(told('HTTPAPISpec shop/a {patterns: [{uriTemplate: /}]}'), /^MESH0242: .*requests of every method/);
  t.regex(told('HTTPAPISpec shop/a {apiKeys: [{query: k}]}'), /^MESH0243: .*only sets the place of the API key/);
  t.regex(told('QuotaSpecBinding shop/b {services: [{}], quotaSpecs: [{name: a}]}'), /MESH0205: .*matches no service/);
});

test('a new plan has no warning about missing consumers, which usually follow, and a changed plan has', (t) => {
  const rig = createRig();
  rig.observe(WEB);
  const plan = policyObject('Plan shop/gold {services: [{name: web}]}');
  t.deepEqual(rig.ask(plan), []);
  t.deepEqual(rig.ask(plan, false), [
    'MESH0295: no Consumer names it, and anonymous is never: it admits no request; create a Consumer that names the Plan, or set anonymous',
  ]);
});

test('a plan that was applied just before its consumer is not missing', async (t) => {
  const rig = createRig();
  rig.observe(WEB);
  const said = rig.ask(policyObject(`Consumer shop/acme {plan: {name: gold}, keys: [{sha256: ${'a'.repeat(64)}}]}`));
  rig.observe(`${WEB}\nPlan shop/gold {services: [{name: web}]}`);
  t.deepEqual(await said, []);
});
