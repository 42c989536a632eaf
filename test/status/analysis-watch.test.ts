import test from 'ava';
import { type MeshObject, objectKey } from '../../src/config/object.js';
import type { ObjectChange } from '../../src/model/object-change.js';
import type { MeshStore } from '../../src/model/store/mesh-store.js';
import { createAnalysisWatch } from '../../src/status/analysis-watch.js';
import { MESH } from '../generators/context-builder.js';
import { batch, gone, snapshot, storeWith } from '../model/mesh-objects.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { ENFORCEMENT, policyObject } from './analysis/support.js';

const SPEC = policyObject('QuotaSpec shop/a {rules: [{quotas: [{quota: q}]}]}');
const BINDING = policyObject('QuotaSpecBinding shop/b {services: [{service: "*"}], quotaSpecs: [{name: a}]}');
const DANGLING = policyObject('QuotaSpecBinding shop/b {services: [{service: "*"}], quotaSpecs: [{name: gone}]}');
const WEB = policyObject('ServiceEntry shop/web {hosts: [web.example.com]}');

function watch() {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const analysis = createAnalysisWatch(
    logger,
    clock,
    () => ENFORCEMENT,
    () => [],
  );
  const store: MeshStore = storeWith();
  let context = snapshot(store);
  /** Applies the objects, and shows the snapshot to the watch. */
  const apply = (...objects: readonly (MeshObject | ObjectChange)[]): void => {
    store.apply(batch(...objects));
    context = snapshot(store, context);
    analysis.observe(context);
  };
  let seen = 0;
  /** What was logged since it was asked last. */
  const told = (): readonly string[] => {
    const news = logger.records.slice(seen);
    seen = logger.records.length;
    return news.map(
      ({ level, message, fields }) => `${level} ${message} ${String(fields['code'])} ${String(fields['object'])}`,
    );
  };
  return { clock, logger, analysis, apply, told };
}

const APPEARED = (level: string, code: string, object: string) => `${level} analysis found a problem ${code} ${object}`;
const GONE = (code: string, object: string) => `info analysis message is gone ${code} ${object}`;

test('a message is logged once when it appears and once when it goes away', (t) => {
  const { clock, apply, told } = watch();
  apply(SPEC);
  clock.advance(0);
  t.deepEqual(
    told(),
    [APPEARED('warn', 'MESH0201', 'QuotaSpec/shop/a'), APPEARED('warn', 'MESH0204', 'QuotaSpec/shop/a')].toSorted(),
  );
  apply(BINDING);
  clock.advance(0);
  t.deepEqual(told(), [APPEARED('warn', 'MESH0204', 'QuotaSpecBinding/shop/b'), GONE('MESH0201', 'QuotaSpec/shop/a')]);
  apply(DANGLING);
  clock.advance(0);
  t.deepEqual(told(), [
    APPEARED('warn', 'MESH0201', 'QuotaSpec/shop/a'),
    APPEARED('error', 'MESH0101', 'QuotaSpecBinding/shop/b'),
  ]);
  apply(gone(SPEC), gone(DANGLING));
  clock.advance(0);
  t.is(told().length, 4);
});

test('problems are those of the newest snapshot, even before the analysis was due', (t) => {
  const { analysis, apply, clock, told } = watch();
  apply(DANGLING);
  t.deepEqual(told(), []);
  t.deepEqual(
    analysis.messages().map(({ level, code, object, field }) => ({ level, code, object, field })),
    [
      { level: 'Warn', code: 'MESH0204', object: 'QuotaSpecBinding/shop/b', field: undefined },
      { level: 'Error', code: 'MESH0101', object: 'QuotaSpecBinding/shop/b', field: 'spec.quotaSpecs[0]' },
    ],
  );
  t.is(told().length, 2);
  clock.advance(1000);
  t.deepEqual(told(), []);
});

const changes: readonly (readonly [string, MeshObject, boolean])[] = [
  ['a policy', policyObject('HTTPAPISpec shop/x {patterns: [{httpMethod: GET, uriTemplate: /}]}'), true],
  ['a service', policyObject('ServiceEntry shop/other {hosts: [other.example.com]}'), true],
  [
    'endpoints alone',
    policyObject(
      'ServiceEntry shop/web {hosts: [web.example.com], resolution: STATIC, endpoints: [{address: 10.0.0.2}]}',
    ),
    false,
  ],
];

for (const [what, object, isAnalyzed] of changes) {
  test(`a change of ${what} ${isAnalyzed ? 'starts' : 'does not start'} an analysis`, (t) => {
    const { clock, apply } = watch();
    const web = policyObject(
      'ServiceEntry shop/web {hosts: [web.example.com], resolution: STATIC, endpoints: [{address: 10.0.0.1}]}',
    );
    apply(SPEC, web);
    clock.advance(0);
    apply(object);
    t.is(clock.timers, isAnalyzed ? 1 : 0);
  });
}

test('a change of the policy settings of the mesh config starts an analysis', (t) => {
  const clock = createFakeClock();
  const analysis = createAnalysisWatch(
    createRecordingLogger(),
    clock,
    () => ENFORCEMENT,
    () => [],
  );
  const context = snapshot(storeWith());
  analysis.observe(context);
  clock.advance(0);
  analysis.observe({ ...context, sequence: 2 });
  t.is(clock.timers, 0);
  const policy = { ...MESH.policy, mixerCheckServer: 'policy.mesh-system:9091' };
  analysis.observe({ ...context, mesh: { ...context.mesh, policy } });
  t.is(clock.timers, 1);
});

test('what becomes of the policy server starts an analysis of the newest snapshot', (t) => {
  const clock = createFakeClock();
  let limitedQuotas = new Map([['q', 10]]);
  const analysis = createAnalysisWatch(
    createRecordingLogger(),
    clock,
    () => ({ ...ENFORCEMENT, limitedQuotas }),
    () => [],
  );
  const codes = () => analysis.messages().map(({ code }) => code);
  analysis.enforcementChanged();
  t.is(clock.timers, 0);
  const store = storeWith();
  store.apply(batch(SPEC));
  const context = snapshot(store);
  const policy = { ...MESH.policy, mixerCheckServer: 'embedded', disablePolicyChecks: false };
  analysis.observe({ ...context, mesh: { ...context.mesh, policy } });
  t.deepEqual(codes(), ['MESH0201']);
  limitedQuotas = new Map();
  analysis.enforcementChanged();
  t.is(clock.timers, 1);
  t.deepEqual(codes(), ['MESH0201', 'MESH0208']);
});

test('several snapshots at once are analyzed once', (t) => {
  const { clock, apply, told } = watch();
  apply(SPEC);
  apply(WEB);
  apply(gone(SPEC));
  t.is(clock.timers, 1);
  clock.advance(0);
  t.deepEqual(told(), []);
});

test('after a stop nothing is analyzed', (t) => {
  const { analysis, clock, apply, told } = watch();
  apply(SPEC);
  analysis.stop();
  clock.advance(1000);
  t.is(clock.timers, 0);
  t.deepEqual(told(), []);
});

test('an endpoint with an IP address ends the message that an external service is not checked', (t) => {
  const { analysis, apply } = watch();
  const external = (address: string): MeshObject =>
    policyObject(
      `ServiceEntry shop/web {hosts: [web.example.com], location: MESH_EXTERNAL, resolution: DNS, ports: [{number: 80, name: http, protocol: HTTP}], endpoints: [{address: ${address}}]}`,
    );
  const binding = policyObject(
    'QuotaSpecBinding shop/b {services: [{service: web.example.com}], quotaSpecs: [{name: a}]}',
  );
  const isToldExternal = (): boolean => analysis.messages().some(({ code }) => code === 'MESH0218');
  apply(SPEC, binding, external('other.example.com'));
  t.true(isToldExternal());
  apply(external('10.0.0.1'));
  t.false(isToldExternal());
  apply(external('other.example.com'));
  t.true(isToldExternal());
});

test('a credential that a router cannot use is named once for each field, however many routers need it', (t) => {
  const object = objectKey('Gateway', 'edge', 'ingress');
  const field = 'spec.servers[0].tls.credentialName';
  let problems = [1, 2].map(() => ({
    object,
    field,
    text: 'the secret shop of namespace edge cannot be used: it is gone',
  }));
  const analysis = createAnalysisWatch(
    createRecordingLogger(),
    createFakeClock(),
    () => ENFORCEMENT,
    () => [],
    () => problems,
  );
  const [message, ...others] = analysis.messages();
  t.deepEqual(others, []);
  t.like(message, { code: 'MESH0406', level: 'Error', object, field });
  t.regex(message?.message ?? '', /^the secret shop of namespace edge cannot be used: it is gone; correct the secret/);
  problems = [];
  t.deepEqual(analysis.messages(), []);
});
