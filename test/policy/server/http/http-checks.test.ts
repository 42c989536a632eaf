import test from 'ava';
import { stringAttribute } from '../../../../src/policy/client/attribute-value.js';
import { PolicyTransportError } from '../../../../src/policy/client/policy-transport.js';
import { ANONYMOUS, type Caller } from '../../../../src/policy/server/callers/caller.js';
import { createAnswerRequests } from '../../../../src/policy/server/http/answer-requests.js';
import { allow } from '../../../support/policy-server.js';
import { createRig, httpConfigText, type PolicyServerRig, policyEncoder } from '../policy-server-rig.js';

const BOOKS = 'books.shop.svc.cluster.local';
const QUOTA = {
  quotaSpec: [{ rules: [{ match: [], quotas: [{ quota: 'all', charge: 1 }] }] }],
  mixerAttributes: { attributes: { 'destination.service.namespace': { stringValue: 'shop' } } },
};
const CONNECTION = { socket: { remoteAddress: '10.0.0.1' }, group: '10.0.0.1', peer: '10.0.0.1:1' } as never;

const head = (lines: readonly string[] = [], line = 'GET /books/1?key=k1 HTTP/1.1'): string =>
  [line, 'host: books', 'content-length: 0', `x-mesh-check-service: ${BOOKS}`, ...lines].join('\r\n');

const ask = async ({ server }: PolicyServerRig, text: string, caller: Caller = ANONYMOUS): Promise<string> =>
  await server.httpChecks.check(text, caller, 'peer');

test('a request is charged with the quotas of its service, and attempts at one Check have one id', async (t) => {
  const rig = createRig({ services: { [BOOKS]: QUOTA } });
  t.regex(await ask(rig, head(['x-mesh-check-id: one'])), /^HTTP\/1\.1 200 OK\r\n/);
  await ask(rig, head(['x-mesh-check-id: one']));
  await ask(rig, head(['x-mesh-check-id: two']));
  const { checks } = rig.transport;
  t.deepEqual([...(checks[0]?.quotas.keys() ?? [])], ['all']);
  t.deepEqual(
    checks.map(({ deduplicationId }) => deduplicationId),
    [`one/${BOOKS}`, `one/${BOOKS}`, `two/${BOOKS}`],
  );
  t.is(
    await rig.series('policy_server_checks_total{protocol="http",code="OK"}'),
    'policy_server_checks_total{protocol="http",code="OK"} 3',
  );
});

test('a decision that needs no other process is answered without a promise', (t) => {
  const rig = createRig();
  rig.handlers.use([]);
  t.is(typeof rig.server.httpChecks.check(head(), ANONYMOUS, 'peer'), 'string');
});

test('a refusal is answered with its status and text', async (t) => {
  const rig = createRig({ services: { [BOOKS]: QUOTA } });
  rig.transport.answer = () => ({ precondition: allow(), quotas: new Map([['all', { grantedAmount: 0 }]]) });
  const answer = await ask(rig, head());
  t.regex(answer, /^HTTP\/1\.1 429 Refused\r\nx-mesh-check-outcome: 8\r\n/);
  t.true(answer.endsWith('\r\n\r\nQuota is exhausted for: all'));
});

test('a tunnel, a text that is no head and one with thousands of headers get an error, for the fail policy, and are never allowed', async (t) => {
  const rig = createRig();
  const answerOf = createAnswerRequests(rig.server.httpChecks);
  const answer = (text: string) => answerOf(text, CONNECTION);
  t.regex(await answer(head([], 'CONNECT books:80 HTTP/1.1')), /^HTTP\/1\.1 500 [\s\S]*policyCheckProtocol: GRPC/);
  t.regex(await answer('GET /'), /^HTTP\/1\.1 500 [\s\S]*no request of HTTP\/1\.1/);
  const headers = (count: number) => Array.from({ length: count }, (_, index) => `x-${index}: a`);
  t.regex(await answer(head(headers(2000))), /^HTTP\/1\.1 500 [\s\S]*at most 1024 headers/);
  t.is(rig.transport.checks.length, 0);
  const failures = 'policy_server_check_failures_total{reason="message"}';
  t.is(await rig.series(failures), `${failures} 3`);
  t.regex(await answer(head(headers(900))), /^HTTP\/1\.1 200 /);
});

test('an overloaded server answers by the fail policy, without a charge', async (t) => {
  const overload = { shed: true, shedAfterMs: 500, maxPendingChecks: 0 };
  const rig = createRig({ services: { [BOOKS]: QUOTA }, overload: () => overload });
  t.regex(await ask(rig, head()), /^HTTP\/1\.1 200 OK\r\n[\s\S]*x-mesh-check-outcome: 0 overloaded\r\n/);
  const failPolicy = { policy: 'FAIL_CLOSE', maxRetry: 0, baseRetryWait: '80ms', maxRetryWait: '1s' } as const;
  const closed = createRig({
    services: { [BOOKS]: { ...QUOTA, networkFailPolicy: failPolicy } },
    overload: () => overload,
  });
  const answer = await ask(closed, head());
  t.regex(answer, /^HTTP\/1\.1 903 Refused\r\n/);
  t.regex(answer, /x-mesh-policy-overloaded: true\r\n/);
  t.is(rig.transport.checks.length + closed.transport.checks.length, 0);
  t.is(
    await closed.series('policy_server_shed_checks_total{protocol="http",answer="refused"}'),
    'policy_server_shed_checks_total{protocol="http",answer="refused"} 1',
  );
});

const workload = (namespace: string): Caller => ({
  type: 'workload',
  identity: { trustDomain: 'cluster.local', namespace, serviceAccount: 'books' },
  address: '10.0.0.1',
});

test('a caller that is no workload of the service gets an error with the reason, and charges nothing', async (t) => {
  const rig = createRig({ services: { [BOOKS]: QUOTA } });
  let caller = workload('evil');
  const answerOf = (lines: readonly string[] = []) =>
    createAnswerRequests(rig.server.httpChecks, () => caller)(head(lines), { ...(CONNECTION as object) } as never);
  t.regex(await answerOf(), /^HTTP\/1\.1 500 [\s\S]*evil\/books is no workload of the service/);
  caller = workload('shop');
  t.regex(await answerOf(), /^HTTP\/1\.1 200 /);
  // Over gRPC, the same statement about its own certificate is refused.
  const forged = ['x-mesh-check-destination-uri: spiffe://cluster.local/ns/other/sa/books'];
  t.regex(await answerOf(forged), /^HTTP\/1\.1 500 [\s\S]*as the principal of the destination says/);
  t.is(rig.transport.checks.length, 1);
});

test('a caller is identified once for each connection', async (t) => {
  const rig = createRig();
  let count = 0;
  const answer = createAnswerRequests(rig.server.httpChecks, () => {
    count++;
    return ANONYMOUS;
  });
  for (let request = 0; request < 3; request++) await answer(head(), CONNECTION);
  t.is(count, 1);
});

test('errors become statuses that Envoy takes for errors: 503 may be retried, and others may not', async (t) => {
  const rig = createRig();
  const failing = (error: Error) =>
    createAnswerRequests({
      check: () => {
        throw error;
      },
    })(head(), CONNECTION);
  t.regex(
    await failing(new PolicyTransportError('other', 'no policies yet')),
    /^HTTP\/1\.1 503 [\s\S]*no policies yet/,
  );
  t.regex(
    await failing(new PolicyTransportError('other', 'too much', { code: 'INVALID_ARGUMENT' })),
    /^HTTP\/1\.1 500 [\s\S]*too much/,
  );
  const internal = await failing(new Error('a secret'));
  t.regex(internal, /^HTTP\/1\.1 500 [\s\S]*internal error/);
  t.false(internal.includes('secret'));
  const config = await createAnswerRequests(rig.server.httpChecks)(
    head(['x-mesh-check-config: no config']),
    CONNECTION,
  );
  t.regex(config, /^HTTP\/1\.1 500 [\s\S]*is not a base64 HttpClientConfig/);
  t.is(
    await rig.series('policy_server_check_failures_total{reason="config"}'),
    'policy_server_check_failures_total{reason="config"} 1',
  );
});

test("the proxy's own configuration counts as over gRPC", async (t) => {
  const rig = createRig({ services: { [BOOKS]: QUOTA } });
  const own = { attributes: { 'destination.uid': { stringValue: 'orchestrator://books-1.shop' } } };
  const answer = await ask(rig, head([`x-mesh-check-config: ${httpConfigText({ mixerAttributes: own })}`]));
  t.is(rig.transport.checks[0]?.attributes.get('destination.uid')?.value, 'orchestrator://books-1.shop');
  t.regex(answer, /\r\nx-mesh-check-static: [A-Za-z0-9+/=,]+\r\n/);
});

test('neither a spec, a caller nor a proxy can say the namespace of a service, by which rules know their services', async (t) => {
  const service = (namespace: string) => ({
    attributes: { 'destination.service.namespace': { stringValue: namespace } },
  });
  const operation = { ...service('shop').attributes, 'api.operation': { stringValue: 'read' } };
  const patterns = [{ httpMethod: 'GET', uriTemplate: '/books/{id}', attributes: { attributes: operation } }];
  const httpApiSpec = [{ attributes: service('shop'), patterns, apiKeys: [] }];
  const rig = createRig({ services: { [BOOKS]: { ...QUOTA, mixerAttributes: service('evil'), httpApiSpec } } });
  const forwarded = policyEncoder.attributesText(new Map([['destination.service.namespace', stringAttribute('shop')]]));
  const lines = [
    `x-mesh-check-config: ${httpConfigText({ mixerAttributes: service('shop') })}`,
    `x-mesh-attributes: ${forwarded}`,
  ];
  await ask(rig, head(lines));
  await ask(rig, head(lines).replace(BOOKS, 'no.service'));
  const namespaces = rig.transport.checks.map(
    ({ attributes }) => attributes.get('destination.service.namespace')?.value,
  );
  t.deepEqual(
    namespaces.filter((namespace) => namespace !== undefined),
    ['evil'],
  );
  t.is(rig.transport.checks[0]?.attributes.get('api.operation')?.value, 'read');
});
