import { setImmediate } from 'node:timers/promises';
import test from 'ava';
import { Registry } from 'prom-client';
import { type Clock, systemClock } from '../../../src/base/clock.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import type { AdmissionAnswer } from '../../../src/webhooks/admission/admission-answer.js';
import { createWorkPace } from '../../../src/webhooks/admission/work-pace.js';
import type { InjectionSettings } from '../../../src/webhooks/injection/inject.js';
import { createInjectionHandler, createInjectionObserver } from '../../../src/webhooks/injection/injection-handler.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { asked } from '../fixtures/ask.js';
import { podOf, settingsOf, tools } from './support/injection.js';

function createHandler(settings: InjectionSettings | undefined, clock: Clock = systemClock) {
  const registry = new Registry();
  const pace = createWorkPace(clock);
  const metrics = createMetrics(registry);
  const logger = createRecordingLogger();
  const handler = createInjectionHandler({ settings: () => settings, tools, metrics, logger });
  const ask = async (object: unknown, path = '/inject'): Promise<AdmissionAnswer> =>
    await handler(asked(object), { path, signal: new AbortController().signal, pace });
  const counts = async (): Promise<Readonly<Record<string, number>>> => {
    const families = await registry.getMetricsAsJSON();
    return Object.fromEntries(families.map(({ name, values }) => [name, values[0]?.value ?? 0]));
  };
  return { ask, counts, logger, observer: createInjectionObserver(metrics) };
}

test('a pod that is injected is allowed with a patch, and counted as a success', async (t) => {
  const { ask, counts } = createHandler(settingsOf({}));
  const answer = await ask(podOf());
  t.true(answer.allowed);
  t.true((answer.patch?.length ?? 0) > 5);
  t.deepEqual(await counts(), { sidecar_injection_success_total: 1 });
});

test('a pod that is skipped is allowed without a patch, and counted as skipped', async (t) => {
  const { ask, counts } = createHandler(settingsOf({}));
  t.deepEqual(await ask(podOf({}, { hostNetwork: true })), { allowed: true });
  t.deepEqual(await counts(), { sidecar_injection_skip_total: 1 });
});

test('a pod with a wrong annotation is rejected with its text, and counted as a failure', async (t) => {
  const { ask, counts } = createHandler(settingsOf({}));
  const answer = await ask(podOf({ annotations: { 'status.sidecar.mesh.internal/port': 'x' } }));
  t.deepEqual(answer, {
    allowed: false,
    message: "invalid value 'x' for annotation 'status.sidecar.mesh.internal/port': use a whole number from 0 to 65535",
  });
  t.deepEqual(await counts(), { sidecar_injection_failure_total: 1 });
});

test('a failing template rejects the pod as a server error, with its line', async (t) => {
  const { ask, logger } = createHandler(settingsOf({ config: { template: 'a\n{{ Values.x }}' } }));
  const answer = await ask(podOf());
  t.like(answer, { allowed: false, code: 500 });
  t.regex(answer.message ?? '', /^injection template: line 2/);
  t.is(logger.records.at(-1)?.message, 'pod rejected, because it cannot be injected');
});

test('an object that is not a pod is rejected', async (t) => {
  const { ask } = createHandler(settingsOf({}));
  for (const object of [undefined, null, 7, [], { spec: { containers: 'x' } }, { metadata: { labels: [] } }]) {
    const answer = await ask(object);
    t.false(answer.allowed);
    t.regex(answer.message ?? '', /^could not read the pod: /);
  }
});

test('without a configuration pods are rejected with the reason', async (t) => {
  const { ask, counts } = createHandler(undefined);
  const answer = await ask(podOf());
  t.like(answer, { allowed: false, code: 503 });
  t.regex(answer.message ?? '', /injector is off/);
  t.deepEqual(await counts(), { sidecar_injection_failure_total: 1 });
});

test('an unknown policy is logged as an error for each pod', async (t) => {
  const { ask, logger } = createHandler(settingsOf({ config: { policy: 'sometimes' } }));
  t.deepEqual(await ask(podOf()), { allowed: true });
  t.like(logger.records.at(-1), { level: 'error', fields: { policy: 'sometimes' } });
});

test('the URL of the call reaches the pod', async (t) => {
  const { ask } = createHandler(settingsOf({}));
  const { patch } = await ask(podOf(), '/inject/cluster/east/net/vpc');
  t.regex(JSON.stringify(patch), /"name":"MESH_META_NETWORK","value":"vpc"/);
});

test('every request is counted, and those that never reach the handler as failures', async (t) => {
  const { observer, counts } = createHandler(settingsOf({}));
  observer.received?.();
  observer.received?.();
  observer.httpError?.(415);
  observer.undecodable?.();
  t.deepEqual(await counts(), { sidecar_injection_requests_total: 2, sidecar_injection_failure_total: 2 });
});

test('a slow pod is followed by a rest, so that slow pods cannot use all the time', async (t) => {
  const template = '{% for a in (1..1000) %}{% for b in (1..1000) %}{% if a == b %}{% endif %}{% endfor %}{% endfor %}';
  const clock = createFakeClock();
  // Rendering takes real time.
  const passing = { ...clock, monotonicMs: () => clock.monotonicMs() + performance.now() };
  const { ask } = createHandler(settingsOf({ config: { template } }), passing);
  await ask(podOf());
  let isAnswered = false;
  const next = ask(podOf()).then(() => {
    isAnswered = true;
  });
  for (let turn = 0; turn < 10; turn++) await setImmediate();
  t.false(isAnswered);
  clock.advance(60_000);
  await next;
  t.true(isAnswered);
});
