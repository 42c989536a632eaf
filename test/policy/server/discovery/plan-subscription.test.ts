import test from 'ava';
import type { ResolvedPlan } from '../../../../src/config/plans/resolved-plan.js';
import { createMessageEncoder } from '../../../../src/envoy/message-encoder.js';
import { createPlanReader } from '../../../../src/policy/server/discovery/plan-reader.js';
import { createPlanSubscription } from '../../../../src/policy/server/discovery/plan-subscription.js';
import { createPacedWork } from '../../../../src/policy/server/paced-work.js';
import { POLICY_TYPE_URLS } from '../../../../src/policy/wire/call-metadata.js';
import { createConfigDecoder } from '../../../../src/policy/wire/config-decoder.js';
import { createConfigEncoder } from '../../../../src/policy/wire/config-encoder.js';
import { loadPolicyProtos } from '../../../../src/policy/wire/policy-protos.js';
import type { AdsStreamEvents } from '../../../../src/xds-client/ads-stream.js';
import { eventually } from '../../../support/eventually.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { createRecordingLogger } from '../../../support/recording-logger.js';
import { encodeResponse, readRequest, wrapped } from './discovery-wire.js';

const protos = loadPolicyProtos();
const encoder = createConfigEncoder(createMessageEncoder(protos));
const keyOf = (version: number, key: number) => `${version}`.padStart(4, '0') + `${key}`.padStart(60, '0');

/** A plan with 2,000 keys of its own. */
function planOf(version: number): ResolvedPlan {
  const keys = Array.from({ length: 2000 }, (_, key) => keyOf(version, key));
  return { match: [], limits: [], anonymous: 'never', consumers: [{ name: `shop/v${version}`, keys }] };
}

function setUp() {
  const streams: AdsStreamEvents[] = [];
  const sent: { readonly stream: number; readonly nonce: string; readonly version: string; readonly error?: string }[] =
    [];
  const turns: (() => void)[] = [];
  const clock = createFakeClock();
  let changes = 0;
  const subscription = createPlanSubscription({
    openStream: (events) => {
      const stream = streams.push(events);
      const send = (bytes: Buffer): void => {
        const { nonce, version, error } = readRequest(bytes);
        sent.push({ stream, nonce, version, ...(error !== undefined && { error }) });
      };
      return { send, close: () => undefined };
    },
    node: () => Buffer.alloc(0),
    readPlan: createPlanReader(createConfigDecoder(protos)),
    // Every step is a slice, and ends when the test says so.
    work: createPacedWork({ clock, sliceMs: 0, yieldTurn: () => new Promise((resolve) => turns.push(resolve)) }),
    clock,
    random: () => 0,
    logger: createRecordingLogger(),
    onChange: () => changes++,
  });
  subscription.start();
  const respond = (version: number, body: readonly Buffer[] = [planEntry(planOf(version))]): void => {
    const typeUrl = POLICY_TYPE_URLS.plan;
    streams.at(-1)?.received(encodeResponse({ version: `v${version}`, nonce: `n${version}`, typeUrl, body }));
  };
  const turn = async (): Promise<void> => {
    turns.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  };
  const untilSent = (count: number): Promise<unknown> =>
    eventually(`${count} requests`, async () => {
      await turn();
      return sent.length >= count;
    });
  const owners = () => [...new Set(subscription.plan('shop/gold')?.owners?.values())];
  return { subscription, streams, sent, respond, turn, untilSent, owners, clock, changes: () => changes };
}

function planEntry(plan: ResolvedPlan): Buffer {
  return wrapped('shop/gold', encoder.plan(plan), POLICY_TYPE_URLS.plan);
}

test('a plan is in force, and acknowledged, when all its keys are read; the former one is in force until then', async (t) => {
  const { sent, respond, turn, untilSent, owners, changes } = setUp();
  respond(1);
  await untilSent(2);
  respond(2);
  for (let turns = 0; turns < 5; turns++) {
    await turn();
    t.deepEqual(owners(), ['shop/v1']);
    t.is(sent.length, 2);
    t.is(changes(), 1);
  }
  await untilSent(3);
  t.deepEqual(sent.at(-1), { stream: 1, nonce: 'n2', version: 'v2' });
  t.deepEqual(owners(), ['shop/v2']);
  t.is(changes(), 2);
});

test('of the responses that come while one is read, the last is read next', async (t) => {
  const { sent, respond, untilSent, owners } = setUp();
  for (const version of [1, 2, 3]) respond(version);
  await untilSent(3);
  t.deepEqual(
    sent.map(({ nonce }) => nonce),
    ['', 'n1', 'n3'],
  );
  t.deepEqual(owners(), ['shop/v3']);
});

test('a response whose reading fails in a later step is rejected, and the next one is read', async (t) => {
  const { sent, respond, untilSent, owners } = setUp();
  respond(1);
  await untilSent(2);
  const { consumers, ...others } = planOf(2);
  respond(2, [planEntry({ ...others, consumers: [...consumers, { name: 'shop/short', keys: ['abcd'] }] })]);
  respond(3);
  await untilSent(4);
  t.like(sent[2], { nonce: 'n2', version: 'v1' });
  t.regex(sent[2]?.error ?? '', /shop\/gold.*consumers\[1\]\.keys.*32 bytes/);
  t.like(sent[3], { nonce: 'n3', version: 'v3', error: undefined });
  t.deepEqual(owners(), ['shop/v3']);
});

test('a response whose stream ends while it is read gets no answer on the next stream', async (t) => {
  const { sent, streams, respond, turn, untilSent, owners, clock } = setUp();
  respond(1);
  respond(2);
  await turn();
  streams[0]?.ended('gone');
  clock.advance(60_000);
  t.is(streams.length, 2);
  await eventually('the plan is read', async () => {
    await turn();
    return owners().length > 0;
  });
  respond(3);
  await untilSent(3);
  t.deepEqual(sent, [
    { stream: 1, nonce: '', version: '' },
    { stream: 2, nonce: '', version: '' },
    { stream: 2, nonce: 'n3', version: 'v3' },
  ]);
});
