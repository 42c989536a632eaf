import test, { type ExecutionContext } from 'ava';
import { Registry } from 'prom-client';
import type { ApiAnswer, ApiRequest } from '../../../src/kubernetes/client/api-sender.js';
import type { WatchedList } from '../../../src/kubernetes/watch/list-watcher.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { createValidationController } from '../../../src/webhooks/certificates/validation-controller.js';
import { createLeaseServer } from '../../kubernetes/election/lease-server.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { createTestCaBundle } from '../fixtures/ca-bundle.js';

const { certificate: ROOT } = createTestAuthority('root');
const DENIED = {
  status: 422,
  body: { message: 'admission webhook "validation.mesh.internal" denied the request: configuration is invalid' },
};
const RULES = [
  { apiGroups: ['a.mesh.internal'], apiVersions: ['*'], operations: ['CREATE'], resources: ['as'], scope: '*' },
];
const CONFLICT = { status: 409, body: { reason: 'Conflict', message: 'the object has been modified' } };

type Fault = Omit<ApiAnswer, 'retryAfterMs'> | Error;

/** An API server whose answers the test sets. It stores the written configuration. */
function createRig(t: ExecutionContext, roots: string | undefined = ROOT, metadata: object = {}) {
  const clock = createFakeClock();
  const leases = createLeaseServer();
  const logger = createRecordingLogger();
  const registry = new Registry();
  const caBundle = createTestCaBundle(roots);
  const watched: WatchedList[] = [];
  const writes: unknown[] = [];
  const faults: { get?: Fault; put?: Fault; probe: Fault } = { probe: { status: 201, body: {} } };
  let configuration: object = {
    metadata,
    webhooks: [{ name: 'validation.mesh.internal', clientConfig: {}, failurePolicy: 'Ignore' }],
  };
  let probes = 0;

  const answer = ({ method, body, path }: ApiRequest): Fault => {
    if (path.includes('quotaspecs')) {
      probes += 1;
      return faults.probe;
    }
    if (method === 'GET') return faults.get ?? { status: 200, body: configuration };
    if (faults.put !== undefined) return faults.put;
    configuration = body as object;
    writes.push(body);
    return { status: 200, body };
  };
  const controller = createValidationController({
    configName: 'meshd-mesh-system',
    namespace: 'mesh-system',
    meshDomain: 'mesh.internal',
    revision: '',
    identity: 'meshd-0',
    rules: RULES,
    caBundle,
    send: async (request) => {
      if (request.path.includes('/leases')) return await leases.send(request);
      const result = answer(request);
      if (result instanceof Error) throw result;
      return { ...result, retryAfterMs: undefined };
    },
    createWatcher: () => ({ watch: (list) => void watched.push(list), stop: async () => undefined }),
    clock,
    logger,
    metrics: createMetrics(registry),
    random: () => 0.99,
  });
  t.teardown(() => controller.stop());
  return {
    clock,
    logger,
    caBundle,
    faults,
    writes,
    watched,
    controller,
    probes: () => probes,
    /** Simulates a change of a watched list. */
    somethingChanges: () => watched[0]?.sink.apply([]),
    counted: async () =>
      (await registry.metrics())
        .split('\n')
        .filter((line) => line !== '' && !line.startsWith('#'))
        .map((line) => line.replace('cfgsrv_validation_config_', '')),
  };
}

const policies = (writes: readonly unknown[]) =>
  (writes as { webhooks: { failurePolicy: string }[] }[]).map(({ webhooks }) => webhooks[0]?.failurePolicy);

test('the leader watches the configuration and the endpoints of meshd, other instances nothing', async (t) => {
  const rig = createRig(t);
  t.is(rig.watched.length, 0);
  rig.controller.start();
  await eventually('it leads', () => rig.watched.length === 2);
  t.deepEqual(
    rig.watched.map(({ definition, namespace, selector }) => [definition.plural, namespace, selector]),
    [
      ['validatingwebhookconfigurations', '', { fieldSelector: 'metadata.name=meshd-mesh-system' }],
      ['endpointslices', 'mesh-system', { labelSelector: 'kubernetes.io/service-name=meshd' }],
    ],
  );
});

test('failurePolicy becomes Fail after the first rejection, probed each second, and stays Fail', async (t) => {
  const rig = createRig(t);
  rig.controller.start();
  await eventually('the roots are written', () => rig.writes.length === 1);
  await eventually('it waits', () => rig.clock.timers > 2);
  rig.clock.advance(999);
  t.is(rig.probes(), 1);
  rig.faults.probe = DENIED;
  rig.clock.advance(1);
  await eventually('the policy is written', () => rig.writes.length === 2);
  t.deepEqual(policies(rig.writes), ['Ignore', 'Fail']);
  rig.faults.probe = { status: 201, body: {} };
  rig.caBundle.set(createTestAuthority('next').certificate);
  await eventually('the new roots are written', () => rig.writes.length === 3);
  t.deepEqual(policies(rig.writes), ['Ignore', 'Fail', 'Fail']);
  t.is(rig.probes(), 2);
  t.deepEqual(await rig.counted(), ['load 2', 'updates 3']);
});

for (const [what, probe, ready] of [
  ['the CRD is not installed', { status: 404, body: undefined }, true],
  [
    'another webhook refuses the object',
    { status: 400, body: { message: 'admission webhook "x" denied the request' } },
    false,
  ],
  [
    'the webhook cannot be reached',
    { status: 500, body: { message: 'failed calling webhook "validation.mesh.internal"' } },
    false,
  ],
  ['the namespace is missing', { status: 404, body: { details: { kind: 'namespaces' } } }, false],
  ['it may not be tried', { status: 403, body: { message: 'quotaspecs is forbidden' } }, false],
] as const) {
  test(`when ${what}, API servers ${ready ? 'count as callers of' : 'do not count as callers of'} the webhook`, async (t) => {
    const rig = createRig(t);
    rig.faults.probe = probe;
    rig.controller.start();
    await eventually('the configuration is written', () => rig.writes.length === 1);
    t.deepEqual(policies(rig.writes), [ready ? 'Fail' : 'Ignore']);
  });
}

const rulesOf = (writes: readonly unknown[]) =>
  (writes as { webhooks: { rules?: unknown }[] }[]).map(({ webhooks }) => webhooks[0]?.rules);

test('rules are written if the configuration leaves them to the control plane, with Ignore before Fail', async (t) => {
  const rig = createRig(t, ROOT, { annotations: { 'mesh.internal/webhook-rules': 'managed' } });
  rig.controller.start();
  await eventually('the roots are written', () => rig.writes.length === 1);
  rig.faults.probe = DENIED;
  await eventually('it waits', () => rig.clock.timers > 2);
  rig.clock.advance(1000);
  await eventually('the policy is written', () => rig.writes.length === 2);
  t.deepEqual(rulesOf(rig.writes), [RULES, RULES]);
  t.deepEqual(policies(rig.writes), ['Ignore', 'Fail']);
});

test('rules stay unchanged if the configuration does not leave them to the control plane', async (t) => {
  const rig = createRig(t);
  rig.controller.start();
  await eventually('the roots are written', () => rig.writes.length === 1);
  t.deepEqual(rulesOf(rig.writes), [undefined]);
});

test('a correct configuration causes no write', async (t) => {
  const rig = createRig(t);
  rig.faults.probe = DENIED;
  rig.controller.start();
  await eventually('the configuration is written', () => rig.writes.length === 1);
  rig.somethingChanges();
  rig.somethingChanges();
  rig.caBundle.set(ROOT);
  await rig.controller.stop();
  t.is(rig.writes.length, 1);
});

for (const [what, roots, reason] of [
  ['missing', undefined, 'could not read caBundle file'],
  ['no certificate', 'text', 'could not verify caBundle'],
] as const) {
  test(`roots that are ${what} are counted and logged once, and used when they are valid`, async (t) => {
    const rig = createRig(t);
    rig.caBundle.set(roots);
    rig.controller.start();
    await eventually('it is told', () => rig.logger.records.some(({ level }) => level === 'warn'));
    t.deepEqual(await rig.counted(), [`load_error{reason="${reason}"} 1`]);
    t.is(rig.writes.length, 0);
    rig.somethingChanges();
    await eventually('it is counted', async () => (await rig.counted())[0] === `load_error{reason="${reason}"} 2`);
    t.is(rig.logger.records.filter(({ level }) => level === 'warn').length, 1);
    rig.caBundle.set(ROOT);
    await eventually('they are written', () => rig.writes.length === 1);
  });
}

test('unknown reasons of API servers are counted as Unknown', async (t) => {
  const rig = createRig(t);
  rig.faults.put = { status: 500, body: { reason: 'x'.repeat(1000) } };
  rig.controller.start();
  await eventually('it is counted', async () => (await rig.counted()).length > 1);
  t.deepEqual(await rig.counted(), ['load 1', 'update_error{reason="Unknown"} 1']);
});

test('a client that reverts each write does not cause endless writes', async (t) => {
  const rig = createRig(t);
  rig.faults.probe = DENIED;
  rig.faults.get = { status: 200, body: { webhooks: [{ name: 'validation.mesh.internal', failurePolicy: 'Ignore' }] } };
  rig.controller.start();
  for (let count = 1; count <= 5; count++) {
    await eventually('it is written', () => rig.writes.length === count);
    rig.somethingChanges();
  }
  const isTold = () =>
    rig.logger.records.some(({ fields }) => String(fields['reason']).includes('another client keeps changing it'));
  await eventually('it is told', isTold);
  rig.somethingChanges();
  rig.clock.advance(4_999);
  t.is(rig.writes.length, 5);
  rig.clock.advance(1);
  await eventually('it is written once more', () => rig.writes.length === 6);
});

test('a conflict is counted with its reason, and retried with growing delays', async (t) => {
  const rig = createRig(t);
  rig.faults.put = CONFLICT;
  rig.faults.probe = DENIED;
  rig.controller.start();
  for (const [index, waitMs] of [500, 1000, 2000].entries()) {
    await eventually('it failed', async () =>
      (await rig.counted()).includes(`update_error{reason="Conflict"} ${index + 1}`),
    );
    await eventually('it waits', () => rig.clock.timers > 2);
    rig.clock.advance(waitMs);
  }
  delete rig.faults.put;
  await eventually('it is written', () => rig.writes.length === 1);
  t.is(rig.logger.records.filter(({ level }) => level === 'warn').length, 1);
});

test('a failed request is counted and retried', async (t) => {
  const rig = createRig(t);
  rig.faults.get = new Error('connect ECONNREFUSED');
  rig.controller.start();
  await eventually('it is counted', async () => (await rig.counted()).includes('update_error{reason="Unknown"} 1'));
  delete rig.faults.get;
  await eventually('it waits', () => rig.clock.timers > 2);
  rig.clock.advance(500);
  await eventually('it is written', () => rig.writes.length === 1);
  t.deepEqual(policies(rig.writes), ['Ignore']);
});

test('a missing configuration is counted, and read again only after a change', async (t) => {
  const rig = createRig(t);
  rig.faults.get = { status: 404, body: { reason: 'NotFound', message: 'not found' } };
  rig.controller.start();
  await eventually('it is counted', async () => (await rig.counted()).includes('update_error{reason="NotFound"} 1'));
  t.is(rig.clock.timers, 2, 'only the timers of the election run');
  delete rig.faults.get;
  rig.somethingChanges();
  await eventually('it is written', () => rig.writes.length === 1);
});

test('a configuration that is deleted while the server runs is counted as deleted', async (t) => {
  const rig = createRig(t);
  rig.controller.start();
  await eventually('it is written', () => rig.writes.length === 1);
  rig.faults.get = { status: 404, body: { reason: 'NotFound', message: 'not found' } };
  rig.somethingChanges();
  const deletions = 'delete_error{reason="NotFound"} 1';
  await eventually('the deletion is counted', async () => (await rig.counted()).includes(deletions));
  t.deepEqual(await rig.counted(), ['load 1', 'updates 1', deletions]);
});

test('stop ends the controller, as the leader and before', async (t) => {
  const rig = createRig(t);
  await rig.controller.stop();
  t.is(rig.watched.length, 0);
  const other = createRig(t);
  other.controller.start();
  await eventually('it leads', () => other.writes.length === 1);
  await other.controller.stop();
  t.is(other.caBundle.listeners, 0);
  other.clock.advance(100_000);
  t.is(other.writes.length, 1);
});
