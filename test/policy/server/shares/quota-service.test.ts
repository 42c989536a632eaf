import { Client, credentials, type ServiceError, status } from '@grpc/grpc-js';
import test, { type ExecutionContext } from 'ava';
import { bucketIdOf } from '../../../../src/policy/wire/quota-buckets.js';
import { eventually } from '../../../support/eventually.js';
import { limitOf } from '../../quota/shares/simulated-proxies.js';
import { startFastServer } from './fast-server.js';
import { type ReadAction, readActions, reportsBytes } from './share-messages.js';

const WEB = 'web.default.svc.cluster.local';
const METHOD = '/envoy.service.rate_limit_quota.v3.RateLimitQuotaService/StreamRateLimitQuotas';
const ID = bucketIdOf({ type: 'quotas', service: WEB, charges: new Map([['requests', 1]]) });
const GROUP = 'fast 8:requests7:rolling5:60000';

const passThrough = (bytes: Buffer): Buffer => bytes;

async function serve(t: ExecutionContext) {
  const server = await startFastServer({ limits: [limitOf()], service: WEB, charges: { requests: 1 } });
  const client = new Client(`127.0.0.1:${server.port}`, credentials.createInsecure(), {
    'grpc.use_local_subchannel_pool': 1,
  });
  t.teardown(async () => {
    client.close();
    await server.stop();
  });
  const open = () => {
    const call = client.makeBidiStreamRequest<Buffer, Buffer>(METHOD, passThrough, passThrough);
    const actions: ReadAction[] = [];
    let failed: ServiceError | undefined;
    call.on('error', (error: ServiceError) => {
      failed = error;
    });
    call.on('data', (bytes: Buffer) => actions.push(...readActions(bytes)));
    return { call, actions, failed: () => failed };
  };
  return { server, open };
}

test('over gRPC, a report is answered, and a proxy that vanishes gives back what it has not used', async (t) => {
  const { server, open } = await serve(t);
  const { call, actions } = open();
  call.write(reportsBytes([{ id: ID, allowed: 1 }]));
  await eventually('an assignment', () => actions.some(({ type }) => type === 'tokens'));
  t.true((server.shares.heldOf(GROUP).get('') ?? 0) > 0);
  call.cancel();
  await eventually('the tokens are given back', () => server.shares.heldOf(GROUP).size === 0);
});

test('bytes that are no reports end the stream with a clear error', async (t) => {
  const { open } = await serve(t);
  const { call, failed } = open();
  call.write(Buffer.from([0x12, 0x05, 1]));
  await eventually('the stream has failed', () => failed() !== undefined);
  t.is(failed()?.code, status.INVALID_ARGUMENT);
  t.regex(failed()?.details ?? '', /not a RateLimitQuotaUsageReports/);
});

test('a connection has a few streams, and a stream that ends makes room for another', async (t) => {
  const { open } = await serve(t);
  const streams = Array.from({ length: 8 }, () => open());
  for (const { call } of streams) call.write(reportsBytes([{ id: ID, allowed: 1 }]));
  await eventually('all are answered', () => streams.every(({ actions }) => actions.length > 0));
  const ninth = open();
  ninth.call.write(reportsBytes([{ id: ID, allowed: 1 }]));
  await eventually('one more is refused', () => ninth.failed() !== undefined);
  t.is(ninth.failed()?.code, status.RESOURCE_EXHAUSTED);
  streams[0]?.call.end();
  await eventually('there is room again', async () => {
    const next = open();
    next.call.write(reportsBytes([{ id: ID, allowed: 1 }]));
    await eventually('an answer', () => next.actions.length > 0 || next.failed() !== undefined);
    return next.failed() === undefined;
  });
});

test('a proxy that does not read its answers is not read either', async (t) => {
  const { server, open } = await serve(t);
  const { call } = open();
  call.pause();
  const keys = (from: number) =>
    Array.from({ length: 200 }, (_, index) => ({
      id: { ...ID, 'request.api_key': `${'k'.repeat(200)}${from + index}` },
      allowed: 1,
    }));
  let sent = 0;
  let isStopped = false;
  while (!isStopped && sent < 40_000) {
    const isTaken = await new Promise<boolean>((resolve) => {
      const timer = setTimeout(() => resolve(false), 2000);
      call.write(reportsBytes(keys(sent)), () => {
        clearTimeout(timer);
        resolve(true);
      });
    });
    sent += 200;
    isStopped = !isTaken;
  }
  t.true(isStopped, `${sent} reports were read`);
  t.true(sent < 30_000);
  const other = open();
  other.call.write(reportsBytes([{ id: ID, allowed: 1 }]));
  await eventually('another stream is answered', () => other.actions.length > 0);
  call.cancel();
  t.true(server.shares.heldOf(GROUP).size > 0);
});
