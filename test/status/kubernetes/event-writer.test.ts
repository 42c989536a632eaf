import test from 'ava';
import type { ApiRequest } from '../../../src/kubernetes/client/api-sender.js';
import { type Complaint, createEventWriter, EVENT_HOLD_MS } from '../../../src/status/kubernetes/event-writer.js';
import { createRecordingLogger } from '../../sources/support/recording-logger.js';

const complaint = (name: string): Complaint => ({
  ...{ apiVersion: 'config.mesh.internal/v1alpha2', kind: 'QuotaSpec', namespace: 'shop', name, uid: `uid-${name}` },
  ...{ reason: 'QuotaNotLimited', message: 'there is no limit' },
});

function setUp(status = 201) {
  let nowMs = 1_000_000;
  const requests: ApiRequest[] = [];
  const logger = createRecordingLogger();
  const writer = createEventWriter({
    send: async (request) => {
      requests.push(request);
      return { status, body: { message: 'events is forbidden' }, retryAfterMs: undefined };
    },
    clock: { now: () => new Date(0), monotonicMs: () => nowMs, schedule: () => () => undefined },
    logger,
    instance: 'meshd-0',
  });
  const pass = (ms: number): void => {
    nowMs += ms;
  };
  return { writer, requests, logger, pass };
}

test('a complaint that lasts is written, and then once an hour', (t) => {
  const { writer, requests, pass } = setUp();
  t.true(writer.update([complaint('a')]));
  t.is(requests.length, 0);
  pass(EVENT_HOLD_MS);
  t.false(writer.update([complaint('a')]));
  writer.update([complaint('a')]);
  t.is(requests.length, 1);
  pass(3_600_000);
  writer.update([complaint('a')]);
  t.is(requests.length, 2);
});

test('a short complaint is not written', (t) => {
  const { writer, requests, pass } = setUp();
  writer.update([complaint('a')]);
  pass(EVENT_HOLD_MS - 1);
  writer.update([]);
  pass(1);
  t.true(writer.update([complaint('a')]));
  t.is(requests.length, 0);
});

test('25 Events are written at once, then one each second, and none is lost', (t) => {
  const { writer, requests, pass } = setUp();
  const many = Array.from({ length: 30 }, (_, index) => complaint(`a${index}`));
  writer.update(many);
  pass(EVENT_HOLD_MS);
  writer.update(many);
  t.is(requests.length, 25);
  pass(2_000);
  writer.update(many);
  t.is(requests.length, 27);
  pass(10_000);
  writer.update(many);
  t.is(requests.length, 30);
});

test('a forbidden write is logged with the missing right, and nothing is written for a minute', async (t) => {
  const { writer, requests, logger, pass } = setUp(403);
  writer.update([complaint('a')]);
  pass(EVENT_HOLD_MS);
  writer.update([complaint('a')]);
  await new Promise(setImmediate);
  t.deepEqual(
    logger.entries.map(({ message, fields }) => [message, fields['remedy']]),
    [['events cannot be written, trying again in a minute', 'let the service account create events']],
  );
  pass(59_000);
  writer.update([complaint('a')]);
  t.is(requests.length, 1);
  pass(1_000);
  writer.update([complaint('a')]);
  t.is(requests.length, 2);
});
