import { setImmediate as nextTurn } from 'node:timers/promises';
import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import type { ApiAnswer, ApiRequest } from '../../../src/kubernetes/client/api-sender.js';
import type { ObjectStatus } from '../../../src/status/conditions/condition.js';
import { createObservedObjects } from '../../../src/status/kubernetes/observed-objects.js';
import { createStatusWriter } from '../../../src/status/kubernetes/status-writer.js';
import { answer } from '../../kubernetes/election/lease-server.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const DEFINITION = createKindRegistry('mesh.internal').definitions.find(({ kind }) => kind === 'QuotaSpec');
const STATUS: ObjectStatus = {
  conditions: [
    {
      type: 'Accepted',
      status: 'True',
      reason: 'Valid',
      message: 'It is valid.',
      observedGeneration: 1,
      lastProbeTime: '2026-01-01T00:00:00Z',
      lastTransitionTime: '2026-01-01T00:00:00Z',
    },
  ],
};

const raw = (name: string, resourceVersion = '1', status: ObjectStatus = {}, uid = `uid-of-${name}`) => ({
  apiVersion: 'config.mesh.internal/v1alpha2',
  metadata: { name, namespace: 'shop', resourceVersion, uid, generation: 1 },
  status,
});

/** Objects of these names, and an API server whose answers the test sets; by default those of a real one. */
function createRig(names: readonly string[], limits: { readonly perSecond?: number; readonly burst?: number } = {}) {
  if (DEFINITION === undefined) throw new Error('QuotaSpec is no kind');
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const requests: ApiRequest[] = [];
  let respond: (request: ApiRequest) => ApiAnswer | Promise<ApiAnswer> = (request) =>
    answer(200, raw(String(request.path.split('/').at(-2)), '2', STATUS));
  const objects = createObservedObjects(() => undefined);
  const sink = objects.sink(DEFINITION);
  const list = sink.replace();
  list.add(names.map((name) => raw(name)));
  list.commit();
  const writer = createStatusWriter({
    send: async (request) => {
      requests.push(request);
      return await respond(request);
    },
    objects,
    clock,
    logger,
    random: () => 0,
    perSecond: limits.perSecond ?? 100,
    burst: limits.burst ?? 500,
  });
  return {
    clock,
    objects,
    sink,
    writer,
    requests,
    log: logger.records,
    respondWith: (next: typeof respond) => {
      respond = next;
    },
    writeAll: (status = STATUS) => {
      for (const name of names) writer.write(`QuotaSpec/shop/${name}`, status);
    },
    pass: async (ms: number) => {
      for (let passed = 0; passed < ms; passed += 100) {
        clock.advance(100);
        for (let turn = 0; turn < 3; turn++) await nextTurn();
      }
    },
  };
}

test('a status is applied to the subresource with our field manager, for the uid of the observed object', async (t) => {
  const rig = createRig(['books']);
  rig.writeAll();
  await rig.pass(100);
  t.deepEqual(rig.requests, [
    {
      method: 'PATCH',
      path: '/apis/config.mesh.internal/v1alpha2/namespaces/shop/quotaspecs/books/status',
      query: { fieldManager: 'navigator-status', force: 'true' },
      contentType: 'application/apply-patch+yaml',
      body: {
        apiVersion: 'config.mesh.internal/v1alpha2',
        kind: 'QuotaSpec',
        metadata: { name: 'books', namespace: 'shop', uid: 'uid-of-books' },
        status: STATUS,
      },
    },
  ]);
  t.deepEqual(rig.objects.get('QuotaSpec/shop/books')?.status, STATUS);
});

test('writes are limited by the burst, and then by the rate per second', async (t) => {
  const rig = createRig(
    Array.from({ length: 40 }, (_, index) => `quota-${index}`),
    { perSecond: 5, burst: 10 },
  );
  rig.writeAll();
  await rig.pass(100);
  t.is(rig.requests.length, 10);
  await rig.pass(2_000);
  t.is(rig.requests.length, 20);
  await rig.pass(10_000);
  t.is(rig.requests.length, 40);
});

test('only the newest queued status of an object is written, and none after a drop', async (t) => {
  const rig = createRig(['books', 'users'], { perSecond: 1, burst: 1 });
  rig.writeAll();
  const newest: ObjectStatus = { validationMessages: [] };
  rig.writer.write('QuotaSpec/shop/users', newest);
  await rig.pass(1_100);
  t.deepEqual(
    rig.requests.map(({ body }) => (body as { status: ObjectStatus }).status),
    [STATUS, newest],
  );
  rig.writer.write('QuotaSpec/shop/books', newest);
  rig.writer.drop('QuotaSpec/shop/books');
  await rig.pass(5_000);
  t.is(rig.requests.length, 2);
});

test('writes to an unavailable API server are retried with backoff and logged once', async (t) => {
  const rig = createRig(['books', 'users']);
  rig.respondWith(() => answer(503, { message: 'etcd is gone' }));
  rig.writeAll();
  await rig.pass(10_000);
  t.true(rig.requests.length < 9, `${rig.requests.length} requests`);
  t.is(rig.log.filter(({ level }) => level === 'warn').length, 1);
  rig.respondWith((request) => answer(200, raw(String(request.path.split('/').at(-2)), '2', STATUS)));
  await rig.pass(35_000);
  t.deepEqual(rig.objects.get('QuotaSpec/shop/users')?.status, STATUS);
  t.deepEqual(rig.objects.get('QuotaSpec/shop/books')?.status, STATUS);
  t.is(rig.log.filter(({ message }) => message === 'statuses can be written again').length, 1);
});

test('a broken connection counts as an unavailable API server', async (t) => {
  const rig = createRig(['books']);
  rig.respondWith(() => Promise.reject(new Error('socket hang up')));
  rig.writeAll();
  await rig.pass(100);
  rig.respondWith(() => answer(200, raw('books', '2', STATUS)));
  await rig.pass(1_000);
  t.deepEqual(rig.objects.get('QuotaSpec/shop/books')?.status, STATUS);
});

test('writes wait for Retry-After', async (t) => {
  const rig = createRig(['books']);
  rig.respondWith(() => ({ ...answer(429), retryAfterMs: 5_000 }));
  rig.writeAll();
  await rig.pass(4_900);
  t.is(rig.requests.length, 1);
  await rig.pass(300);
  t.is(rig.requests.length, 2);
});

test('a forbidden kind is logged once with the missing right, and retried each minute', async (t) => {
  const rig = createRig(['books', 'users']);
  rig.respondWith(() => answer(403, { message: 'quotaspecs/status is forbidden' }));
  rig.writeAll();
  await rig.pass(100);
  const tried = rig.requests.length;
  rig.writeAll();
  await rig.pass(50_000);
  t.is(rig.requests.length, tried);
  t.deepEqual(
    rig.log.filter(({ level }) => level === 'error').map(({ fields }) => fields['remedy']),
    ['let the service account patch quotaspecs.config.mesh.internal/status'],
  );
  rig.respondWith(() => answer(200, raw('books', '2', STATUS)));
  await rig.pass(10_000);
  rig.writeAll();
  await rig.pass(100);
  t.true(rig.requests.length > tried);
});

test('a rejected status is logged, and not sent again before it changes', async (t) => {
  const rig = createRig(['books']);
  rig.respondWith(() => answer(422, { message: 'status.conditions: too many' }));
  rig.writeAll();
  await rig.pass(100);
  rig.writeAll();
  await rig.pass(100);
  t.is(rig.requests.length, 1);
  rig.writeAll({ conditions: [] });
  await rig.pass(100);
  t.is(rig.requests.length, 2);
  t.is(rig.log.filter(({ level }) => level === 'error').length, 2);
});

test('a status that the API server does not keep is not written again', async (t) => {
  const rig = createRig(['books']);
  rig.respondWith(() => answer(200, raw('books', '2', { conditions: [] })));
  rig.writeAll();
  await rig.pass(100);
  rig.writeAll();
  await rig.pass(100);
  t.is(rig.requests.length, 1);
  t.is(rig.log.filter(({ level }) => level === 'warn').length, 1);
});

const lists: readonly [title: string, items: readonly object[], complaints: number][] = [
  ['gone', [], 0],
  ['another one of the same name', [raw('books', '7', {}, 'uid-of-the-next')], 0],
  ['there, so that its CRD has no status', [raw('books')], 1],
];

for (const [title, items, complaints] of lists) {
  test(`the answer 404 leads to a look for the object, which is ${title}`, async (t) => {
    const rig = createRig(['books']);
    rig.respondWith(({ method }) => (method === 'PATCH' ? answer(404) : answer(200, { items })));
    rig.writeAll();
    await rig.pass(10_000);
    t.deepEqual(
      rig.requests.map(({ method, query }) => `${method} ${query?.['fieldSelector'] ?? ''}`),
      ['PATCH ', 'GET metadata.name=books'],
    );
    t.is(rig.log.length, complaints);
  });
}

test('an older state from the watch does not replace the result of a write', async (t) => {
  const rig = createRig(['books']);
  rig.respondWith(() => answer(200, raw('books', '12', STATUS)));
  rig.writeAll();
  await rig.pass(100);
  rig.sink.apply([{ type: 'MODIFIED', object: raw('books', '9') }]);
  t.deepEqual(rig.objects.get('QuotaSpec/shop/books')?.status, STATUS);
  rig.sink.apply([{ type: 'MODIFIED', object: raw('books', '13') }]);
  t.deepEqual(rig.objects.get('QuotaSpec/shop/books')?.status, {});
  rig.sink.apply([{ type: 'DELETED', object: raw('books', '14') }]);
  t.is(rig.objects.get('QuotaSpec/shop/books'), undefined);
});

test('after a pause no write is under way and none begins', async (t) => {
  const rig = createRig(['books', 'users'], { perSecond: 1, burst: 1 });
  rig.writeAll();
  const pausing = rig.writer.pause();
  await rig.pass(100);
  await pausing;
  t.is(rig.requests.length, 1);
  t.is(rig.clock.timers, 0);
});
