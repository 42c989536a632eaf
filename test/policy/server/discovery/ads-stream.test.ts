import { Server, type ServerDuplexStream } from '@grpc/grpc-js';
import test from 'ava';
import { Registry } from 'prom-client';
import { systemClock } from '../../../../src/base/clock.js';
import { passThrough, rawStreamingMethod } from '../../../../src/net/raw-method.js';
import {
  createServiceSubscription,
  createSubscriptionMetrics,
  type ServiceSubscription,
} from '../../../../src/policy/server/discovery/service-subscription.js';
import { createMetrics } from '../../../../src/telemetry/metrics.js';
import { createAdsStreams, PLAINTEXT_CREDENTIALS } from '../../../../src/xds-client/ads-stream.js';
import { encodeNode } from '../../../../src/xds-client/discovery-messages.js';
import { eventually } from '../../../support/eventually.js';
import { createRecordingLogger } from '../../../support/recording-logger.js';
import { listen, type Teardown } from '../../remote/remote-rig.js';
import { charging, encodeResponse, readRequest, readServiceConfig, servicesBody } from './discovery-wire.js';

type AdsCall = ServerDuplexStream<Buffer, Buffer>;

const BOOKS = 'books.shop.svc.cluster.local';

/** A server of one method, which the test answers for. */
class SmallAds {
  readonly calls: AdsCall[] = [];
  readonly requests: ReturnType<typeof readRequest>[] = [];
  #server = new Server();

  async start(port = 0): Promise<number> {
    this.#server = new Server();
    const path = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
    this.#server.addService(
      { StreamAggregatedResources: rawStreamingMethod(path, passThrough) },
      {
        StreamAggregatedResources: (call: AdsCall) => {
          this.calls.push(call);
          call.on('data', (bytes: Buffer) => this.requests.push(readRequest(bytes)));
          call.on('error', () => undefined);
        },
      },
    );
    return listen(this.#server, port);
  }

  kill(): void {
    this.#server.forceShutdown();
  }
}

function subscribe(t: Teardown, port: number): ServiceSubscription {
  const subscription = createServiceSubscription({
    openStream: createAdsStreams({
      address: `127.0.0.1:${port}`,
      keepaliveIntervalMs: 30_000,
      keepaliveTimeoutMs: 10_000,
      credentials: PLAINTEXT_CREDENTIALS,
    }),
    node: () => encodeNode('router~127.0.0.1~navigator-policy.a~a.svc.cluster.local', 'navigator-policy', 'test'),
    readServiceConfig,
    clock: systemClock,
    random: () => 0,
    logger: createRecordingLogger(),
    metrics: createSubscriptionMetrics(createMetrics(new Registry())),
    onChange: () => undefined,
  });
  t.teardown(() => subscription.stop());
  subscription.start();
  return subscription;
}

test('over real gRPC: services arrive, are acknowledged, and stay during a restart of the server', async (t) => {
  const server = new SmallAds();
  t.teardown(() => server.kill());
  const port = await server.start();
  const subscription = subscribe(t, port);
  await eventually('the server is asked', () => server.requests.length === 1);
  server.calls[0]?.write(
    encodeResponse({ version: 'v1', nonce: 'n1', body: servicesBody({ [BOOKS]: charging('rate') }) }),
  );
  await eventually('the acknowledgement arrives', () => server.requests.length === 2);
  t.like(server.requests[1], { version: 'v1', nonce: 'n1', error: undefined });
  const books = subscription.find(BOOKS);
  t.deepEqual(books, charging('rate'));

  server.kill();
  await eventually('the loss is noticed', () => !subscription.isConnected);
  t.is(subscription.find(BOOKS), books);

  await server.start(port);
  await eventually('the server is asked again', () => server.calls.length === 2 && server.requests.length === 3);
  t.like(server.requests[2], { version: 'v1', nonce: '' });
  server.calls[1]?.write(
    encodeResponse({ version: 'v2', nonce: 'm1', body: servicesBody({ [BOOKS]: charging('rate', 2) }) }),
  );
  await eventually('the new configuration is in force', () => subscription.version === 'v2');
  t.deepEqual(subscription.find(BOOKS), charging('rate', 2));
});

test('a server that ends the stream well is asked again', async (t) => {
  const server = new SmallAds();
  t.teardown(() => server.kill());
  const subscription = subscribe(t, await server.start());
  await eventually('the server is asked', () => server.requests.length === 1);
  server.calls[0]?.end();
  await eventually('the server is asked again', () => server.requests.length === 2);
  t.false(subscription.isConnected);
});

test('a server that starts later is found', async (t) => {
  const server = new SmallAds();
  const port = await server.start();
  server.kill();
  const subscription = subscribe(t, port);
  t.teardown(() => server.kill());
  await server.start(port);
  await eventually('the server is asked', () => server.requests.length === 1);
  t.is(subscription.version, undefined);
});

test('a response of many megabytes is taken', async (t) => {
  const server = new SmallAds();
  t.teardown(() => server.kill());
  const subscription = subscribe(t, await server.start());
  await eventually('the server is asked', () => server.requests.length === 1);
  const quota = 'q'.repeat(250);
  const services = Object.fromEntries(
    Array.from({ length: 30_000 }, (_, index) => [`s${index}.default.svc.cluster.local`, charging(quota)]),
  );
  const response = encodeResponse({ version: 'v1', nonce: 'n1', body: servicesBody(services) });
  t.true(response.length > 8 << 20);
  server.calls[0]?.write(response);
  await eventually('it is acknowledged', () => server.requests.length === 2);
  t.like(server.requests[1], { version: 'v1', error: undefined });
  t.deepEqual(subscription.find('s29999.default.svc.cluster.local'), charging(quota));
});

test('a subscription that is stopped ends its stream', async (t) => {
  const server = new SmallAds();
  t.teardown(() => server.kill());
  const subscription = subscribe(t, await server.start());
  await eventually('the server is asked', () => server.requests.length === 1);
  let isCancelled = false;
  server.calls[0]?.on('cancelled', () => {
    isCancelled = true;
  });
  subscription.stop();
  await eventually('the stream ends', () => isCancelled);
  t.false(subscription.isConnected);
});
