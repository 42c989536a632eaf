import test from 'ava';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { eventually } from '../../support/eventually.js';
import { pushRequest } from '../../support/push-requests.js';
import { NODE, type RestRig, startRestRig } from './rest-rig.js';

const CLUSTERS = '/v3/discovery:clusters';
const ROUTES = '/v3/discovery:routes';

function change(rig: RestRig, clusters: Record<string, string>): void {
  rig.content.clusters = clusters;
  rig.distributor.submit(pushRequest());
  rig.clock.advance(0);
}

/** The message of the rejection that a session has recorded. */
function rejectionOf(rig: RestRig): string | undefined {
  const [session] = rig.sessions;
  return session?.snapshot()?.watches.get(TypeUrl.cluster)?.rejection?.message;
}

/** Waits until the server has a poll of the only session, so that time can pass. */
async function isWaiting(rig: RestRig, version: string): Promise<void> {
  await eventually('the poll waits', () =>
    [...rig.sessions].some((session) => session.snapshot()?.watches.get(TypeUrl.cluster)?.ackedVersion === version),
  );
}

test('D29: a poll without a version is answered with all resources and their version', async (t) => {
  const rig = await startRestRig(t);
  const answer = await rig.poll(CLUSTERS, { node: NODE });
  t.is(answer.status, 200);
  t.deepEqual(answer.bodies, ['a=1', 'b=1']);
  t.is(answer.headers['content-type'], 'application/json');
  t.like(JSON.parse(answer.text), { typeUrl: TypeUrl.cluster, controlPlane: { identifier: 'test' } });
});

test('D29: a poll with the current version waits, and is answered 304 when its time is over', async (t) => {
  const rig = await startRestRig(t);
  const { version } = await rig.poll(CLUSTERS, { node: NODE });
  const second = rig.poll(CLUSTERS, { node: NODE, version_info: version });
  await isWaiting(rig, version);
  rig.clock.advance(20_000);
  t.is((await second).status, 304);
});

test('a poll that waits is answered as soon as the resources change', async (t) => {
  const rig = await startRestRig(t);
  const { version } = await rig.poll(CLUSTERS, { node: NODE });
  const second = rig.poll(CLUSTERS, { node: NODE, versionInfo: version });
  await isWaiting(rig, version);
  change(rig, { a: '2' });
  const answer = await second;
  t.deepEqual(answer.bodies, ['a=2']);
  t.not(answer.version, version);
});

test('a change between two polls is answered at the second one', async (t) => {
  const rig = await startRestRig(t);
  const { version } = await rig.poll(CLUSTERS, { node: NODE });
  change(rig, { a: '2' });
  t.deepEqual((await rig.poll(CLUSTERS, { node: NODE, version_info: version })).bodies, ['a=2']);
});

test('a push that changes nothing answers no poll', async (t) => {
  const rig = await startRestRig(t);
  const { version } = await rig.poll(CLUSTERS, { node: NODE });
  const second = rig.poll(CLUSTERS, { node: NODE, version_info: version });
  await isWaiting(rig, version);
  change(rig, { a: '1', b: '1' });
  rig.clock.advance(20_000);
  t.is((await second).status, 304);
});

test('another server of the same configuration answers 304 to the version of the first one', async (t) => {
  const first = await startRestRig(t);
  const { version } = await first.poll(CLUSTERS, { node: NODE });
  const second = await startRestRig(t);
  const poll = second.poll(CLUSTERS, { node: NODE, version_info: version });
  await isWaiting(second, version);
  second.clock.advance(20_000);
  t.is((await poll).status, 304);
});

test('a response that the proxy did not take is sent again, and then counts as rejected until it changes', async (t) => {
  const rig = await startRestRig(t);
  const { version } = await rig.poll(CLUSTERS, { node: NODE });
  change(rig, { a: '2' });
  const old = { node: NODE, version_info: version };
  t.deepEqual((await rig.poll(CLUSTERS, old)).bodies, ['a=2']);
  t.deepEqual((await rig.poll(CLUSTERS, old)).bodies, ['a=2']);
  const third = rig.poll(CLUSTERS, old);
  await eventually('the rejection', () => rejectionOf(rig) !== undefined);
  change(rig, { a: '3' });
  t.deepEqual((await third).bodies, ['a=3']);
});

test('a rejection with a reason is recorded at once', async (t) => {
  const rig = await startRestRig(t);
  await rig.poll(CLUSTERS, { node: NODE });
  const second = rig.poll(CLUSTERS, { node: NODE, error_detail: { code: 3, message: 'no' } });
  await eventually('the rejection', () => rejectionOf(rig) === 'no');
  change(rig, { a: '2' });
  t.deepEqual((await second).bodies, ['a=2']);
});

test('named resources are answered by name, an unknown name with an empty list', async (t) => {
  const rig = await startRestRig(t);
  t.deepEqual((await rig.poll(ROUTES, { node: NODE, resource_names: ['b'] })).bodies, ['b=1']);
  const unknown = await rig.poll(ROUTES, { node: NODE, resource_names: ['c'] });
  t.is(unknown.status, 200);
  t.deepEqual(unknown.bodies, []);
  t.is(rig.sessions.size, 2);
});

test('a proxy counts as connected until its lease is over', async (t) => {
  const rig = await startRestRig(t);
  const { version } = await rig.poll(CLUSTERS, { node: NODE });
  rig.clock.advance(59_999);
  t.is(rig.sessions.size, 1);
  const second = rig.poll(CLUSTERS, { node: NODE, version_info: version });
  await isWaiting(rig, version);
  rig.clock.advance(20_000);
  await second;
  rig.clock.advance(59_999);
  t.is(rig.closed.length, 0);
  rig.clock.advance(1);
  t.is(rig.closed.length, 1);
  t.is(rig.sessions.size, 0);
});

test('a proxy that hangs up during a poll has its lease, and the change at its next poll', async (t) => {
  const rig = await startRestRig(t);
  const { version } = await rig.poll(CLUSTERS, { node: NODE });
  const abort = new AbortController();
  const second = rig.poll(CLUSTERS, { node: NODE, version_info: version }, { signal: abort.signal });
  await isWaiting(rig, version);
  abort.abort();
  await t.throwsAsync(second);
  // A poll that still counted would take this change.
  await eventually('the change reaches the next poll', async () => {
    change(rig, { a: '2' });
    const answer = await rig.poll(CLUSTERS, { node: NODE, version_info: version });
    return answer.bodies[0] === 'a=2';
  });
  rig.clock.advance(60_000);
  t.is(rig.closed.length, 1);
});

test('polls beyond the limit of waiting polls are answered at once', async (t) => {
  const rig = await startRestRig(t, {}, { restPolls: 2 });
  const { version } = await rig.poll(CLUSTERS, { node: NODE });
  const patient = rig.poll(CLUSTERS, { node: NODE, version_info: version });
  await isWaiting(rig, version);
  const other = { id: 'sidecar~10.0.0.2~pod2.ns~ns.svc.cluster.local' };
  t.is((await rig.poll(CLUSTERS, { node: other, version_info: version })).status, 304);
  t.is(rig.counts['limitMet restPolls'], 1);
  t.true(rig.logger.records.some(({ message }) => message === 'REST requests are answered at once'));
  rig.stop();
  t.is((await patient).status, 503);
});

test('bodies that wait for their turn are limited: the latest is refused, and the earlier ones are answered', async (t) => {
  let begin = (): void => undefined;
  const turn = new Promise<void>((resolve) => {
    begin = resolve;
  });
  const rig = await startRestRig(t, {}, { restBodyBytes: 2_000 }, turn);
  const body = { node: NODE, resource_names: ['a', 'x'.repeat(300)] };
  const polls = [1, 2, 3, 4].map(() => rig.poll('/v3/discovery:endpoints', body));
  const refused = await Promise.race(polls);
  t.is(refused.status, 429);
  t.regex(refused.text, /wait to be read.*NAV_XDS_REST_MAX_BODY_BYTES/);
  await eventually('half of the four are refused', () => rig.counts['limitMet restBodyBytes'] === 2);
  begin();
  await eventually('the others are served', () => rig.sessions.size === 1);
});

test('a poll waits less than the timeout that its client announces, and less than a second without one', async (t) => {
  for (const [headers, ms] of [
    [{ 'x-envoy-expected-rq-timeout-ms': '5000' }, 4_500],
    [{ 'x-envoy-expected-rq-timeout-ms': 'soon' }, 900],
  ] as const) {
    const rig = await startRestRig(t);
    const { version } = await rig.poll(CLUSTERS, { node: NODE });
    const poll = rig.poll(CLUSTERS, { node: NODE, version_info: version }, { headers });
    await isWaiting(rig, version);
    rig.clock.advance(ms);
    t.is((await poll).status, 304);
  }
});

for (const [what, path, body, options, status, text] of [
  ['secrets', '/v3/discovery:secrets', { node: NODE }, {}, 403, /proven identity only.*--secureGRPCAddr/],
  ['another path', '/v3/discovery:runtime', { node: NODE }, {}, 404, /v3\/discovery:clusters/],
  ['GET', CLUSTERS, '', { method: 'GET' }, 405, /POST/],
  ['a web page', CLUSTERS, { node: NODE }, { headers: { origin: 'http://a.example' } }, 403, /web pages/],
  ['another content', CLUSTERS, 'x', { headers: { 'content-type': 'text/plain' } }, 415, /application\/json/],
  ['no JSON', CLUSTERS, '{', {}, 400, /not JSON/],
  ['a request without a node', CLUSTERS, {}, {}, 400, /node is missing/],
  ['a type of another path', CLUSTERS, { node: NODE, type_url: TypeUrl.route }, {}, 400, /RouteConfiguration/],
  ['a body that is too large', CLUSTERS, ' '.repeat(2_000), {}, 429, /MESH_GPRC_MAXRECVMSGSIZE/],
  [
    'a body of many lists',
    CLUSTERS,
    `[${'[],'.repeat(200)}[]]`,
    {},
    429,
    /more than 128 objects.*NAV_XDS_MAX_NODE_BYTES/,
  ],
  ['a type that the server lacks', '/v3/discovery:listeners', { node: NODE }, {}, 404, /does not serve/],
] as const) {
  test(`${what}: ${status}, with the reason`, async (t) => {
    const rig = await startRestRig(t, { maxMessageBytes: 1_000 }, { nodeBytes: 4_096 });
    const answer = await rig.poll(path, body, options);
    t.is(answer.status, status);
    t.regex(answer.text, text);
    t.is(rig.sessions.size, 0);
  });
}

test('discovery over REST is off when plaintext discovery is', async (t) => {
  const rig = await startRestRig(t, { isOpen: false });
  const { status, text } = await rig.poll(CLUSTERS, { node: NODE });
  t.is(status, 403);
  t.regex(text, /--grpcAddr is empty/);
});

test('other paths are left to the pages', async (t) => {
  const rig = await startRestRig(t);
  t.is((await rig.poll('/ready', {})).status, 599);
});
