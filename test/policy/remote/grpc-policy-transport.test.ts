import {
  Client,
  credentials,
  type Metadata,
  Server,
  ServerCredentials,
  type ServiceError,
  status,
} from '@grpc/grpc-js';
import test from 'ava';
import { Registry } from 'prom-client';
import type { QuotaLimit } from '../../../src/config/policy-server/policy-server-config.js';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { stringAttribute } from '../../../src/policy/client/attribute-value.js';
import { createPolicyClient } from '../../../src/policy/client/policy-client.js';
import {
  type CallOptions,
  type CheckRequest,
  type CheckResponse,
  PolicyTransportError,
} from '../../../src/policy/client/policy-transport.js';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import { createQuotaHandler } from '../../../src/policy/quota/quota-handler.js';
import { createQuotaMetrics } from '../../../src/policy/quota/quota-metrics.js';
import { createGrpcPolicyTransport, POLICY_METHODS } from '../../../src/policy/remote/grpc-policy-transport.js';
import { createPolicyService } from '../../../src/policy/server/grpc/policy-service.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { allow, sendError, settled } from '../../support/policy-server.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { createSelfSignedCertificate } from '../../support/self-signed-certificate.js';
import { codec, listen, type RemoteRig, startRemote } from './remote-rig.js';

const BAG = bagOf(new Map([['source.user', stringAttribute('ann')]]));
const REQUEST: CheckRequest = {
  attributes: BAG,
  deduplicationId: 'client-7',
  quotas: new Map([['rate', { amount: 2, bestEffort: false }]]),
};
const ANSWER: CheckResponse = {
  precondition: allow({ validDurationMs: 1500 }),
  quotas: new Map([['rate', { grantedAmount: 0, retryAfterMs: 2500.5 }]]),
};

function callOptions(fields: Partial<CallOptions> = {}): CallOptions {
  return { timeoutMs: 60_000, signal: new AbortController().signal, ...fields };
}

/** The call that the backend got as number `index`, once it is there. */
async function arrived({ backend }: RemoteRig, index = 0) {
  await eventually(`call ${index} arrives`, () => backend.checks.length > index);
  const call = backend.checks[index];
  if (call === undefined) throw new Error('unreachable');
  return call;
}

test('a Check and its answer go through gRPC as they are', async (t) => {
  const rig = await startRemote(t);
  const check = rig.transport.check(REQUEST, callOptions());
  const { request, options, answer } = await arrived(rig);
  t.deepEqual([...request.attributes.entries()], [...BAG.entries()]);
  t.is(request.deduplicationId, 'client-7');
  t.deepEqual(request.quotas, REQUEST.quotas);
  t.is(options.timeoutMs, 5000, 'a server gives no call more');
  answer(ANSWER);
  t.deepEqual(await check, ANSWER);
});

test('reports of a call arrive together and in their order', async (t) => {
  const rig = await startRemote(t);
  const other = bagOf(new Map([['source.user', stringAttribute('bob')]]));
  await rig.transport.report({ attributes: [BAG, other] }, callOptions());
  const users = rig.reports.map((bags) => bags.map((bag) => bag.get('source.user')?.value));
  t.deepEqual(users, [['ann', 'bob']]);
});

test('every call carries the metadata that the transport was given', async (t) => {
  const seen: Metadata[] = [];
  const server = new Server();
  server.addService(POLICY_METHODS, {
    Check: (call: { metadata: Metadata }, callback: (error: null, answer: Buffer) => void) => {
      seen.push(call.metadata);
      callback(null, codec.encodeCheckResponse(ANSWER));
    },
  });
  t.teardown(() => server.forceShutdown());
  const metadata = { 'x-mesh-attributes': 'CgA=' };
  const transport = createGrpcPolicyTransport(`127.0.0.1:${await listen(server)}`, { codec, metadata });
  t.teardown(() => transport.close());
  for (let calls = 0; calls < 2; calls++) await transport.check(REQUEST, callOptions());
  t.deepEqual(
    seen.map((one) => one.get('x-mesh-attributes')),
    [['CgA='], ['CgA=']],
  );
});

test('a server that does not answer within the deadline is a timeout, and hears that nobody waits', async (t) => {
  const rig = await startRemote(t);
  const check = rig.transport.check(REQUEST, callOptions({ timeoutMs: 1500 }));
  const { options } = await arrived(rig);
  t.true(options.timeoutMs <= 1500, `${options.timeoutMs} ms`);
  const error = await t.throwsAsync(check, { instanceOf: PolicyTransportError });
  t.is(error.failure, 'timeout');
  t.is(error.code, 'UNAVAILABLE');
  await eventually('the server gives up', () => options.signal.aborted);
});

test('a cancelled call rejects, and the server is told', async (t) => {
  const rig = await startRemote(t);
  const controller = new AbortController();
  const check = rig.transport.check(REQUEST, callOptions({ signal: controller.signal }));
  const { options } = await arrived(rig);
  controller.abort();
  const error = await t.throwsAsync(check, { instanceOf: PolicyTransportError });
  t.is(error.failure, 'other');
  t.is(error.code, 'CANCELLED');
  await eventually('the server gives up', () => options.signal.aborted);
});

test('a call that is cancelled before it begins is not sent', async (t) => {
  const rig = await startRemote(t);
  await t.throwsAsync(rig.transport.check(REQUEST, callOptions({ signal: AbortSignal.abort() })), {
    instanceOf: PolicyTransportError,
    message: /was cancelled/,
  });
  const later = rig.transport.check(REQUEST, callOptions());
  (await arrived(rig)).answer(ANSWER);
  await later;
  t.is(rig.backend.checks.length, 1);
});

test('a server that is killed fails its calls as not sent, and one at its place is found again', async (t) => {
  const rig = await startRemote(t);
  const check = rig.transport.check(REQUEST, callOptions());
  await arrived(rig);
  rig.kill();
  t.is((await t.throwsAsync(check, { instanceOf: PolicyTransportError })).failure, 'send');

  const refused = await t.throwsAsync(rig.transport.check(REQUEST, callOptions()), {
    instanceOf: PolicyTransportError,
  });
  t.is(refused.failure, 'send');
  t.is(refused.code, 'UNAVAILABLE');
  t.regex(refused.message, new RegExp(`^The policy server ${rig.address} did not answer: `));

  await rig.restart();
  await eventually('a call gets through', async () => {
    const before = rig.backend.checks.length;
    const again = rig.transport.check(REQUEST, callOptions()).catch(() => undefined);
    await eventually('it arrives or fails', async () => {
      const isSettled = await Promise.race([again.then(() => true), settled().then(() => false)]);
      return isSettled || rig.backend.checks.length > before;
    });
    rig.backend.checks[before]?.answer(ANSWER);
    return (await again) !== undefined;
  });
});

test('what the backend fails with reaches the caller with its code', async (t) => {
  const rig = await startRemote(t);
  const check = rig.transport.check(REQUEST, callOptions());
  (await arrived(rig)).fail(new PolicyTransportError('other', 'no such tenant', { code: 'PERMISSION_DENIED' }));
  const error = await t.throwsAsync(check, { instanceOf: PolicyTransportError });
  t.is(error.failure, 'other');
  t.is(error.code, 'PERMISSION_DENIED');
  t.regex(error.message, /no such tenant$/);
});

test('a fault of the server is INTERNAL, and is in its log', async (t) => {
  const rig = await startRemote(t);
  const check = rig.transport.check(REQUEST, callOptions());
  (await arrived(rig)).fail(new TypeError('undefined is not a function'));
  const error = await t.throwsAsync(check, { instanceOf: PolicyTransportError });
  t.is(error.code, 'INTERNAL');
  t.notRegex(error.message, /undefined/);
  t.like(rig.logger.records, [{ level: 'error', message: 'policy call failed' }]);
});

test('an invalid call is INVALID_ARGUMENT with the problem', async (t) => {
  const rig = await startRemote(t);
  const client = new Client(rig.address, credentials.createInsecure());
  t.teardown(() => client.close());
  const { path, requestSerialize, responseDeserialize } = POLICY_METHODS.Check;
  const send = (bytes: Buffer): Promise<ServiceError> =>
    new Promise((resolve, reject) => {
      client.makeUnaryRequest(path, requestSerialize, responseDeserialize, bytes, (error) => {
        if (error === null) reject(new Error('the server answered'));
        else resolve(error);
      });
    });
  const badlyNamed = codec.encodeCheckRequest({ ...REQUEST, deduplicationId: 'x'.repeat(300) });
  t.like(await send(badlyNamed), {
    code: status.INVALID_ARGUMENT,
    details: 'deduplication_id has 300 characters: send 256 at most, the same for all attempts at one call',
  });
  t.like(await send(Buffer.from([0xff])), { code: status.INVALID_ARGUMENT });
  t.is(rig.backend.checks.length, 0);
});

test('an invalid answer is an error of the transport', async (t) => {
  const server = new Server();
  server.addService(POLICY_METHODS, {
    Check: (_call: unknown, callback: (error: null, answer: Buffer) => void) => callback(null, Buffer.from([0xff])),
  });
  t.teardown(() => server.forceShutdown());
  const transport = createGrpcPolicyTransport(`127.0.0.1:${await listen(server)}`, { codec });
  t.teardown(() => transport.close());
  const error = await t.throwsAsync(transport.check(REQUEST, callOptions()), { instanceOf: PolicyTransportError });
  t.is(error.failure, 'other');
  t.regex(error.message, /is invalid: CheckResponse cannot be decoded/);
});

test('a transport that was closed fails its calls', async (t) => {
  const rig = await startRemote(t);
  rig.transport.close();
  const error = await t.throwsAsync(rig.transport.report({ attributes: [BAG] }, callOptions()), {
    instanceOf: PolicyTransportError,
  });
  t.is(error.failure, 'send');
});

test('retries are seen on the wire after their waits, with the id of the first attempt', async (t) => {
  const rig = await startRemote(t);
  const clock = createFakeClock();
  const client = createPolicyClient(
    {
      networkFailPolicy: { policy: 'FAIL_CLOSE', maxRetry: 3, baseRetryWait: '80ms', maxRetryWait: '1s' },
      disableQuotaCache: true,
    },
    { transport: rig.transport, clock, random: () => 0.5, clientId: 'client-' },
  );
  const decision = client.check({ attributes: BAG, quotas: [{ quota: 'rate', charge: 2 }] });
  // With jitter of one half: 80 ms, then halfway from 80 to 160, then from 80 to 320.
  for (const [retry, waitMs] of [80, 120, 200].entries()) {
    (await arrived(rig, retry)).fail(sendError());
    await eventually('the error arrives', () => client.statistics().total_remote_call_send_errors === retry + 1);
    await settled();
    clock.advance(waitMs - 1);
    await settled();
    t.is(clock.timers, 1);
    t.is(rig.backend.checks.length, retry + 1);
    clock.advance(1);
  }
  (await arrived(rig, 3)).answer({ precondition: allow(), quotas: new Map([['rate', { grantedAmount: 2 }]]) });
  t.is((await decision).status.code, 'OK');
  t.deepEqual(
    rig.backend.checks.map(({ request }) => request.deduplicationId),
    ['client-0', 'client-0', 'client-0', 'client-0'],
  );
  t.like(client.statistics(), { total_remote_call_retries: 3, total_remote_call_send_errors: 3 });
});

test('attempts at one call are charged once, and another call again', async (t) => {
  const clock = createFakeClock();
  const limit: QuotaLimit = {
    name: 'rate',
    maxAmount: 5,
    validDurationMs: 60_000,
    window: 'rolling',
    dimensions: [],
    overrides: [],
  };
  const store = createMemoryStore({ clock, maxCounters: 100 });
  const metrics = createQuotaMetrics(createMetrics(new Registry()));
  const server = new Server();
  createPolicyService({
    answer: createQuotaHandler({ limits: [limit], clock, store, metrics }).answer,
    acceptReports: () => undefined,
    codec,
    logger: createRecordingLogger(),
  }).addTo(server);
  t.teardown(() => server.forceShutdown());
  const transport = createGrpcPolicyTransport(`127.0.0.1:${await listen(server)}`, { codec });
  t.teardown(() => transport.close());
  const grantedTo = async (deduplicationId: string): Promise<number | undefined> => {
    const { quotas } = await transport.check({ ...REQUEST, deduplicationId }, callOptions());
    return quotas.get('rate')?.grantedAmount;
  };
  t.deepEqual(await Promise.all([grantedTo('a'), grantedTo('a'), grantedTo('a')]), [2, 2, 2]);
  t.is(await grantedTo('b'), 2);
  t.is(await grantedTo('c'), 0);
  t.is(await grantedTo('a'), 2);
});

test('over TLS the server has to show a certificate that is trusted', async (t) => {
  const { certificate, key } = createSelfSignedCertificate();
  const server = new Server();
  createPolicyService({
    answer: () => ANSWER,
    acceptReports: () => undefined,
    codec,
    logger: createRecordingLogger(),
  }).addTo(server);
  t.teardown(() => server.forceShutdown());
  const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(certificate) };
  const port = await listen(server, 0, ServerCredentials.createSsl(null, [pair]));
  type Tls = { readonly rootCertificates?: Buffer; readonly takesAnyName?: boolean };
  const connect = (tls?: Tls, host = 'localhost') => {
    const transport = createGrpcPolicyTransport(`${host}:${port}`, { codec, ...(tls && { tls }) });
    t.teardown(() => transport.close());
    return transport.check(REQUEST, callOptions());
  };
  t.deepEqual(await connect({ rootCertificates: Buffer.from(certificate) }), ANSWER);
  for (const untrusting of [connect({}), connect()]) {
    const error = await t.throwsAsync(untrusting, { instanceOf: PolicyTransportError });
    t.is(error.failure, 'send');
  }
});

test.serial(
  'with BYPASS_OOP_MTLS_SAN_VERIFICATION a trusted certificate may be for another name than the address',
  async (t) => {
    // The certificate is for localhost and 127.0.0.1.
    const { certificate, key } = createSelfSignedCertificate();
    const server = new Server();
    const service = { answer: () => ANSWER, acceptReports: () => undefined, codec, logger: createRecordingLogger() };
    createPolicyService(service).addTo(server);
    t.teardown(() => server.forceShutdown());
    const pair = { private_key: Buffer.from(key), cert_chain: Buffer.from(certificate) };
    const secured = ServerCredentials.createSsl(null, [pair]);
    const port = await new Promise<number>((resolve, reject) => {
      server.bindAsync('127.0.0.2:0', secured, (error, bound) => (error === null ? resolve(bound) : reject(error)));
    });
    const connect = (tls: { readonly rootCertificates?: Buffer; readonly takesAnyName: boolean }) => {
      const transport = createGrpcPolicyTransport(`127.0.0.2:${port}`, { codec, tls });
      t.teardown(() => transport.close());
      return transport.check(REQUEST, callOptions());
    };
    const rootCertificates = Buffer.from(certificate);
    await t.throwsAsync(connect({ rootCertificates, takesAnyName: false }), { instanceOf: PolicyTransportError });
    t.deepEqual(await connect({ rootCertificates, takesAnyName: true }), ANSWER);
    await t.throwsAsync(connect({ takesAnyName: true }), { instanceOf: PolicyTransportError });
  },
);
