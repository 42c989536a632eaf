import test from 'ava';
import { Registry } from 'prom-client';
import { validateServiceConfig } from '../../../../src/config/policy/client-config-rules.js';
import { frameResource } from '../../../../src/envoy/message-encoder.js';
import {
  createServiceSubscription,
  createSubscriptionMetrics,
} from '../../../../src/policy/server/discovery/service-subscription.js';
import { POLICY_TYPE_URLS } from '../../../../src/policy/wire/call-metadata.js';
import { createMetrics } from '../../../../src/telemetry/metrics.js';
import type { AdsStreamEvents } from '../../../../src/xds-client/ads-stream.js';
import { encodeNode } from '../../../../src/xds-client/discovery-messages.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { createRecordingLogger } from '../../../support/recording-logger.js';
import {
  charging,
  encodeResponse,
  encodeService,
  type ResponseFields,
  readRequest,
  readServiceConfig,
  serviceConfig,
  servicesBody,
  wrapped,
} from './discovery-wire.js';

const NODE = encodeNode('router~10.0.0.9~navigator-policy.mesh-system~mesh-system.svc.cluster.local', 'policy', 'test');
const BOOKS = 'books.shop.svc.cluster.local';
const WEB = 'web.shop.svc.cluster.local';

/** A stream that the test is the other end of. */
interface FakeStream {
  readonly events: AdsStreamEvents;
  readonly sent: ReturnType<typeof readRequest>[];
  isClosed: boolean;
}

function setUp(random = () => 0) {
  const streams: FakeStream[] = [];
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const registry = new Registry();
  const versions: (string | undefined)[] = [];
  const subscription = createServiceSubscription({
    openStream: (events) => {
      const stream: FakeStream = { events, sent: [], isClosed: false };
      streams.push(stream);
      return {
        send: (bytes) => void stream.sent.push(readRequest(bytes)),
        close: () => {
          stream.isClosed = true;
        },
      };
    },
    node: () => NODE,
    readServiceConfig,
    clock,
    random,
    logger,
    metrics: createSubscriptionMetrics(createMetrics(registry)),
    onChange: () => void versions.push(subscription.version),
  });
  const stream = (): FakeStream => {
    const last = streams.at(-1);
    if (last === undefined) throw new Error('no stream was opened');
    return last;
  };
  return {
    subscription,
    versions,
    streams,
    clock,
    logger,
    stream,
    respond: (fields: ResponseFields) => stream().events.received(encodeResponse(fields)),
    metric: async (name: string) => (await registry.getSingleMetric(name)?.get())?.values,
  };
}

test('after its start, the subscription requests all services with its node', (t) => {
  const { subscription, streams, stream } = setUp();
  t.is(streams.length, 0);
  subscription.start();
  subscription.start();
  t.is(streams.length, 1);
  t.deepEqual(stream().sent, [
    { version: '', typeUrl: POLICY_TYPE_URLS.serviceConfig, nonce: '', node: NODE, error: undefined, names: 0 },
  ]);
  t.is(subscription.find(BOOKS), undefined);
  t.is(subscription.version, undefined);
  t.false(subscription.isConnected);
});

test('services of a response are in force, and it is acknowledged', async (t) => {
  const { subscription, stream, respond, metric } = setUp();
  subscription.start();
  respond({
    version: 'v1',
    nonce: 'n1',
    body: servicesBody({ [BOOKS]: charging('books-rate', 3), [WEB]: serviceConfig({}) }),
  });
  t.deepEqual(subscription.find(BOOKS), charging('books-rate', 3));
  t.deepEqual(subscription.find(WEB), serviceConfig({}));
  t.is(subscription.find('other'), undefined);
  t.true(subscription.isConnected);
  t.like(stream().sent[1], { version: 'v1', nonce: 'n1', node: undefined, error: undefined });
  t.deepEqual(await metric('policy_discovery_connected'), [{ value: 1, labels: {} }]);
  t.deepEqual(await metric('policy_discovery_services'), [{ value: 2, labels: {} }]);
  t.deepEqual(await metric('policy_discovery_version'), [{ value: 1, labels: { version: 'v1' } }]);
});

test('an unchanged service keeps the same object, and a removed one is removed', async (t) => {
  const { subscription, versions, respond, metric } = setUp();
  subscription.start();
  respond({ version: 'v1', nonce: 'n1', body: servicesBody({ [BOOKS]: charging('a'), [WEB]: charging('b') }) });
  const books = subscription.find(BOOKS);
  const web = subscription.find(WEB);
  respond({ version: 'v2', nonce: 'n2', body: servicesBody({ [WEB]: charging('c'), [BOOKS]: charging('a') }) });
  t.is(subscription.find(BOOKS), books);
  t.not(subscription.find(WEB), web);
  t.deepEqual(subscription.find(WEB), charging('c'));
  respond({ version: 'v3', nonce: 'n3', body: servicesBody({ [BOOKS]: charging('a') }) });
  t.is(subscription.find(BOOKS), books);
  t.is(subscription.find(WEB), undefined);
  t.deepEqual(versions, ['v1', 'v2', 'v3']);
  t.deepEqual(await metric('policy_discovery_version'), [{ value: 1, labels: { version: 'v3' } }]);
});

const REFUSED: readonly (readonly [string, readonly Buffer[], RegExp])[] = [
  [
    'bytes that are no ServiceConfig',
    servicesBody({ [BOOKS]: charging('a'), [WEB]: Buffer.from([0xff]) }),
    /^"web\.shop\.svc\.cluster\.local": ServiceConfig cannot be decoded: /,
  ],
  [
    'a ServiceConfig that breaks a rule',
    servicesBody({
      [WEB]: encodeService({
        ...charging('a'),
        quotaSpec: [{ rules: [{ match: [], quotas: [{ quota: 'a', charge: 2_147_483_648 }] }] }],
      }),
    }),
    /^"web\.shop\.svc\.cluster\.local": quotaSpec\[0\]\.rules\[0\]\.quotas\[0\]\.charge: -2147483648: /,
  ],
  [
    'a regular expression that RE2 refuses',
    servicesBody({
      [WEB]: encodeService({
        ...charging('a'),
        quotaSpec: [
          { rules: [{ match: [{ clause: { 'source.user': { regex: '(' } } }], quotas: [{ quota: 'a', charge: 1 }] }] },
        ],
      }),
    }),
    /^"web\.shop\.svc\.cluster\.local": quotaSpec\[0\]\.rules\[0\]\.match\[0\]\.clause\["source\.user"\]\.regex: "\("/,
  ],
  [
    'a service that occurs twice',
    [...servicesBody({ [WEB]: charging('a') }), ...servicesBody({ [WEB]: charging('b') })],
    /^"web\.shop\.svc\.cluster\.local" occurs twice$/,
  ],
  [
    'a resource without a name',
    [frameResource(POLICY_TYPE_URLS.serviceConfig, WEB, encodeService(charging('a'))).entry],
    /^a resource of type .*ServiceConfig has no name: wrap it$/,
  ],
  ['an empty name', servicesBody({ '': charging('a') }), /^a resource has an empty name$/],
  [
    'a resource of another type',
    [wrapped(WEB, Buffer.alloc(0), POLICY_TYPE_URLS.httpClientConfig)],
    /^"web\.shop\.svc\.cluster\.local" is of type .*HttpClientConfig$/,
  ],
];

for (const [what, body, reason] of REFUSED) {
  test(`a response with ${what} is rejected as a whole, and the last valid one stays in force`, async (t) => {
    const { subscription, stream, respond, logger, metric } = setUp();
    subscription.start();
    respond({ version: 'v1', nonce: 'n1', body: servicesBody({ [BOOKS]: charging('books') }) });
    const books = subscription.find(BOOKS);
    respond({ version: 'v2', nonce: 'n2', body });
    t.is(subscription.find(BOOKS), books);
    t.is(subscription.find(WEB), undefined);
    t.is(subscription.version, 'v1');
    t.like(stream().sent[2], { version: 'v1', nonce: 'n2' });
    t.regex(stream().sent[2]?.error ?? '', reason);
    t.true(logger.records.some(({ level, message }) => level === 'error' && message.includes('rejected')));
    t.deepEqual(await metric('policy_discovery_updates_total'), [
      { value: 1, labels: { result: 'accepted' } },
      { value: 1, labels: { result: 'rejected' } },
    ]);
    respond({ version: 'v3', nonce: 'n3', body: servicesBody({ [WEB]: charging('web') }) });
    t.like(stream().sent[3], { version: 'v3', nonce: 'n3', error: undefined });
    t.deepEqual(subscription.find(WEB), charging('web'));
  });
}

test('a refusal names the first bad services, and how many more there are', (t) => {
  const { subscription, stream, respond } = setUp();
  subscription.start();
  const bad = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`s${index}`, Buffer.from([0xff])]));
  respond({ version: 'v1', nonce: 'n1', body: servicesBody(bad) });
  const { error = '' } = stream().sent[1] ?? {};
  t.regex(error, /^"s0": .*; "s4": .*; and 995 more$/);
  t.true(error.length < 1000);
});

test('specs of one service may together be larger than one object may be', (t) => {
  const { subscription, stream, respond } = setUp();
  subscription.start();
  const quotaSpec = Array.from({ length: 220 }, (_, index) => ({
    rules: [
      {
        match: [{ clause: { 'source.user': { regex: `${index}.{1000}` } } }],
        quotas: [{ quota: 'a', charge: 1 }],
      },
    ],
  }));
  const config = serviceConfig({ quotaSpec });
  t.is(validateServiceConfig(config).length, 1);
  respond({ version: 'v1', nonce: 'n1', body: servicesBody({ [WEB]: config }) });
  t.like(stream().sent[1], { version: 'v1', error: undefined });
});

test('without a connection the last configuration stays in force, and attempts go on for ever, further and further apart', async (t) => {
  const { subscription, streams, stream, respond, clock, logger, metric } = setUp(() => 0.999_999);
  subscription.start();
  respond({ version: 'v1', nonce: 'n1', body: servicesBody({ [BOOKS]: charging('books') }) });
  const books = subscription.find(BOOKS);
  for (const waitMs of [250, 500, 1000, 2000, 4000, 8000, 15_000, 15_000, 15_000]) {
    const opened = streams.length;
    stream().events.ended('14 UNAVAILABLE: connection refused');
    t.false(subscription.isConnected);
    t.is(subscription.find(BOOKS), books);
    clock.advance(waitMs - 1);
    t.is(streams.length, opened, `${waitMs}`);
    clock.advance(1);
    t.is(streams.length, opened + 1, `${waitMs}`);
  }
  t.deepEqual(await metric('policy_discovery_connected'), [{ value: 0, labels: {} }]);
  t.is(logger.records.filter(({ level }) => level === 'warn').length, 1);

  t.like(stream().sent[0], { version: 'v1', nonce: '', node: NODE });
  respond({ version: 'v1', nonce: 'm1', body: servicesBody({ [BOOKS]: charging('books') }) });
  t.true(subscription.isConnected);
  t.is(subscription.find(BOOKS), books);
  t.like(stream().sent[1], { version: 'v1', nonce: 'm1' });
  stream().events.ended('14 UNAVAILABLE: server is shutting down');
  clock.advance(250);
  t.is(streams.length, 11);
});

test('waits have jitter: from half of the longest to all of it', (t) => {
  const { subscription, streams, stream, clock } = setUp(() => 0);
  subscription.start();
  stream().events.ended('no');
  clock.advance(124);
  t.is(streams.length, 1);
  clock.advance(1);
  t.is(streams.length, 2);
});

test('an invalid response ends the stream, which is opened again', (t) => {
  const { subscription, streams, stream, clock } = setUp();
  subscription.start();
  const first = stream();
  first.events.received(Buffer.from([0x0a, 0xff]));
  t.true(first.isClosed);
  clock.advance(1000);
  t.is(streams.length, 2);
});

test('a response of an unrequested type changes nothing and is not answered', (t) => {
  const { subscription, stream, respond } = setUp();
  subscription.start();
  respond({ version: 'v1', nonce: 'n1', typeUrl: POLICY_TYPE_URLS.httpClientConfig });
  t.is(subscription.version, undefined);
  t.is(stream().sent.length, 1);
});

test('a stopped subscription closes its stream, opens no other, and keeps the services', (t) => {
  const { subscription, streams, stream, respond, clock } = setUp();
  subscription.start();
  respond({ version: 'v1', nonce: 'n1', body: servicesBody({ [BOOKS]: charging('books') }) });
  subscription.stop();
  t.true(stream().isClosed);
  t.is(clock.timers, 0);
  t.deepEqual(subscription.find(BOOKS), charging('books'));

  const other = setUp();
  other.subscription.start();
  other.stream().events.ended('no');
  other.subscription.stop();
  other.clock.advance(60_000);
  t.is(other.streams.length, 1);
  t.is(streams.length, 1);
});
