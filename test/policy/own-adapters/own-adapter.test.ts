import { isDeepStrictEqual } from 'node:util';
import test from 'ava';
import { ACCOUNTS } from '../../support/adapter-descriptors.js';
import { eventually } from '../../support/eventually.js';
import { FAIL_CLOSE } from '../rules/rule-rig.js';
import { AnswerError, createOwnRig, objectsOf, startAdapter } from './adapter-rig.js';

const accounts = (
  port: number,
  params = '{plans: {key-of-ann: gold}}',
) => `rule shop/r {actions: [{handler: h, instances: [i], name: account}]}
  handler shop/h {adapter: a, connection: {address: "127.0.0.1:${port}", timeout: 10s}, params: ${params}}
  adapter shop/a {templates: [accounts], config: ${ACCOUNTS}}
  template shop/accounts {descriptor: ${ACCOUNTS}}
  instance shop/i {template: accounts, params: {key: request.path}}`;

test('an adapter of your own gets the instance and the parameters, allows with output, and refuses with an answer', async (t) => {
  const adapter = await startAdapter(t, ({ request }) =>
    request.instance.key === '/known'
      ? { result: { status: {}, valid_use_count: 0 }, output: { plan: 'gold' } }
      : {
          result: {
            status: {
              code: 16,
              message: 'unknown key',
              details: [
                {
                  type_url: 'type.googleapis.com/istio.policy.v1beta1.DirectHttpResponse',
                  // code 401, body "go away", headers {X-Why: key, content-length: 5}
                  value: Buffer.from('0891031207676f2061776179', 'hex'),
                },
              ],
            },
          },
        },
  );
  const rig = createOwnRig(t);
  rig.apply(accounts(adapter.port));
  t.is((await rig.check({ 'request.path': '/known' }, undefined, FAIL_CLOSE)).status.code, 'OK');
  const refused = await rig.check({ 'request.path': '/other' }, undefined, FAIL_CLOSE);
  t.deepEqual(refused.status, { code: 'UNAUTHENTICATED', message: 'unknown key' });
  t.deepEqual(refused.routeDirective, { directResponseCode: 401, directResponseBody: 'go away' });
  const [call] = adapter.of('HandleAccounts');
  t.like(call?.request, {
    instance: { name: 'i.instance.shop', key: '/known' },
    adapter_config: {
      type_url: 'type.googleapis.com/accounts.Params',
      // plans: {"key-of-ann": "gold"}
      value: Buffer.from('0a120a0a6b65792d6f662d616e6e1204676f6c64', 'hex'),
    },
  });
  t.deepEqual(await rig.metric('num_outgoing_requests'), ['num_outgoing_requests{request_type="adapter"} 2']);
  t.deepEqual(await rig.metric('policy_adapter_connected'), ['policy_adapter_connected{handler="handler/shop/h"} 1']);
});

test('a decision is used again as long and as often as the adapter says, for equal instances only', async (t) => {
  const adapter = await startAdapter(t, () => ({
    result: { status: {}, valid_duration: { seconds: 100 }, valid_use_count: 3 },
  }));
  const rig = createOwnRig(t);
  rig.apply(accounts(adapter.port));
  const ask = async (path: string) => (await rig.check({ 'request.path': path }, undefined, FAIL_CLOSE)).status.code;
  for (let n = 0; n < 4; n++) t.is(await ask('/a'), 'OK');
  t.is(adapter.calls.length, 2);
  await ask('/b');
  t.is(adapter.calls.length, 3);
});

test('a changed parameter reaches the adapter, and a rule that does not concern the handler keeps its connection', async (t) => {
  const adapter = await startAdapter(t);
  const rig = createOwnRig(t);
  rig.apply(accounts(adapter.port));
  await rig.check({ 'request.path': '/a' });
  rig.apply(`${accounts(adapter.port)}
    rule shop/more {actions: [{handler: h, instances: [i]}]}`);
  t.deepEqual(await rig.series('policy_handler_reused_handlers_total'), ['policy_handler_reused_handlers_total 1']);
  rig.apply(accounts(adapter.port, '{}'));
  t.deepEqual(await rig.series('policy_handler_closed_handlers_total'), ['policy_handler_closed_handlers_total 1']);
  await rig.check({ 'request.path': '/b' });
  t.is(adapter.calls[1]?.request.adapter_config.value.length, 0);
});

const SECOND = 1_000_000_000n;
const TIME = { type: 'timestamp', value: 1_700_000_000n * SECOND + 5n } as const;
const ADDRESS = { type: 'bytes', value: Buffer.from([10, 1, 2, 3]) } as const;
const MORE = {
  'request.path': '/a',
  'request.size': { type: 'int64', value: -7n },
  'request.time': TIME,
  'source.ip': ADDRESS,
  'response.duration': { type: 'duration', value: 1_500_000_000n },
  'connection.mtls': { type: 'bool', value: true },
  'request.headers': { type: 'stringMap', value: new Map([['x-a', 'b']]) },
} as const;
/** As the .proto files have them. */
const VALUES = {
  text: { string_value: '/a' },
  size: { int64_value: '-7' },
  time: { timestamp_value: { value: { seconds: '1700000000', nanos: 5 } } },
  ip: { ip_address_value: { value: ADDRESS.value } },
  wait: { duration_value: { value: { seconds: '1', nanos: 500_000_000 } } },
  flag: { bool_value: true },
  map: { string_map_value: { value: { 'x-a': 'b' } } },
  share: { double_value: 0.5 },
  host: { dns_name_value: { value: 'books.shop' } },
  site: { uri_value: { value: 'https://books.shop/' } },
  mail: { email_address_value: { value: 'ann@books.shop' } },
};
const ALL =
  '{text: request.path, size: request.size, time: request.time, ip: source.ip, wait: response.duration, flag: connection.mtls, map: request.headers, share: "0.5", host: "dnsName(\\"books.shop\\")", site: "uri(\\"https://books.shop/\\")", mail: "email(\\"ann@books.shop\\")"}';

const REPORTS: Readonly<Record<string, readonly [method: string, params: string, received: object]>> = {
  logentry: [
    'HandleLogEntry',
    `{variables: ${ALL}, timestamp: request.time, severity: '"info"', monitored_resource_type: '"x"'}`,
    {
      variables: VALUES,
      timestamp: { value: { seconds: '1700000000', nanos: 5 } },
      severity: 'info',
      monitored_resource_type: 'x',
    },
  ],
  metric: [
    'HandleMetric',
    '{value: request.size, dimensions: {path: request.path}}',
    { value: { int64_value: '-7' }, dimensions: { path: { string_value: '/a' } } },
  ],
  reportnothing: ['HandleReportNothing', '{}', {}],
  tracespan: [
    'HandleTraceSpan',
    `{traceId: '"t"', spanName: request.path, startTime: request.time, endTime: request.time, httpStatusCode: "200", clientSpan: "true", sourceIp: source.ip, spanTags: {a: request.path}}`,
    {
      trace_id: 't',
      span_name: '/a',
      start_time: { value: { seconds: '1700000000', nanos: 5 } },
      end_time: { value: { seconds: '1700000000', nanos: 5 } },
      httpStatusCode: '200',
      client_span: true,
      source_ip: { value: ADDRESS.value },
      span_tags: { a: { string_value: '/a' } },
    },
  ],
  edge: [
    'HandleEdge',
    '{timestamp: request.time, sourceUid: request.path, destinationServiceName: request.path}',
    {
      timestamp: { value: { seconds: '1700000000', nanos: 5 } },
      source_uid: '/a',
      destination_service_name: '/a',
    },
  ],
};

test('adapters get reports of each built-in template, with values of all types', async (t) => {
  const adapter = await startAdapter(t);
  const rig = createOwnRig(t);
  for (const [template, [method, params, received]] of Object.entries(REPORTS)) {
    rig.apply(objectsOf(adapter.port, template, params));
    rig.report(MORE);
    const call = await eventually(`${method} arrives`, () => adapter.of(method)[0]);
    t.deepEqual(call.request.instances, [{ name: 'i.instance.shop', ...received }], template);
  }
});

const CHECKS: Readonly<Record<string, readonly [method: string, params: string, received: object]>> = {
  checknothing: ['HandleCheckNothing', '{}', {}],
  listentry: ['HandleListEntry', '{value: request.path}', { value: '/a' }],
  apikey: [
    'HandleApiKey',
    '{api: request.path, api_key: request.path, timestamp: request.time}',
    { api: '/a', api_key: '/a', timestamp: { value: { seconds: '1700000000', nanos: 5 } } },
  ],
  authorization: [
    'HandleAuthorization',
    '{subject: {user: request.path, properties: {size: request.size}}, action: {path: request.path}}',
    { subject: { user: '/a', properties: { size: { int64_value: '-7' } } }, action: { path: '/a' } },
  ],
};

test('adapters decide about instances of each built-in template for checks', async (t) => {
  const adapter = await startAdapter(t, () => ({ status: { code: 7, message: 'no' } }));
  const rig = createOwnRig(t);
  for (const [template, [method, params, received]] of Object.entries(CHECKS)) {
    rig.apply(objectsOf(adapter.port, template, params));
    t.deepEqual((await rig.check(MORE)).status, { code: 'PERMISSION_DENIED', message: 'no' }, template);
    t.deepEqual(adapter.of(method)[0]?.request.instance, { name: 'i.instance.shop', ...received }, template);
  }
});

test('an address is a text in a template for texts', async (t) => {
  const adapter = await startAdapter(t);
  const rig = createOwnRig(t);
  rig.apply(objectsOf(adapter.port, 'listentry', '{value: source.ip}'));
  await rig.check(MORE);
  t.is(adapter.calls[0]?.request.instance.value, '10.1.2.3');
});

test('an adapter counts quotas, by the name of the instance', async (t) => {
  let left = 2;
  const adapter = await startAdapter(t, ({ request }) => {
    const [[name, { amount }]] = Object.entries(request.quota_request.quotas) as [[string, { amount: string }]];
    const granted = left >= Number(amount) ? amount : '0';
    left -= Number(granted);
    return { quotas: { [name]: { granted_amount: granted, valid_duration: { seconds: 1 } } } };
  });
  const rig = createOwnRig(t);
  rig.apply(objectsOf(adapter.port, 'quota', '{dimensions: {path: request.path}}'));
  const codes: string[] = [];
  for (let n = 0; n < 3; n++) codes.push((await rig.check({ 'request.path': '/a' }, 'i', FAIL_CLOSE)).status.code);
  t.deepEqual(codes, ['OK', 'OK', 'RESOURCE_EXHAUSTED']);
  t.like(adapter.calls[0]?.request, {
    instance: { name: 'i.instance.shop', dimensions: { path: { string_value: '/a' } } },
    quota_request: { quotas: { 'i.instance.shop': { amount: '1' } } },
  });
  const ids = adapter.calls.map(({ request }) => request.dedup_id);
  t.is(new Set(ids).size, 3);
});

/** A field of 127 bytes of which none comes. */
const NONSENSE = Buffer.from('0a7f', 'hex');

test('the fail policy decides when the adapter is away, fails, is slow or answers with nonsense', async (t) => {
  const adapter = await startAdapter(t);
  const rig = createOwnRig(t);
  rig.apply(objectsOf(adapter.port, 'listentry', '{value: request.path}').replace('timeout: 10s', 'timeout: 2s'));
  const ask = async (path: string) => {
    const [open, closed] = [
      await rig.check({ 'request.path': path }),
      await rig.check({ 'request.path': path }, undefined, FAIL_CLOSE),
    ];
    return [open.status.code, open.failure, closed.status.code, closed.failure];
  };
  const failed = ['OK', 'rule', 'UNAVAILABLE', 'rule'];
  adapter.answer = () => {
    throw new AnswerError('INTERNAL', 'broken');
  };
  t.deepEqual(await ask('/fails'), failed);
  adapter.answer = () => NONSENSE;
  t.deepEqual(await ask('/nonsense'), failed);
  adapter.answer = () => undefined;
  t.deepEqual(await ask('/slow'), failed);
  adapter.answer = () => ({});
  // After one more late answer, of a server that gets no processor time, calls are spared for a while.
  await eventually('the adapter decides again', async () =>
    isDeepStrictEqual(await ask('/works'), ['OK', undefined, 'OK', undefined]),
  );
  adapter.stop();
  await eventually('the connection ends', async () =>
    (await rig.metric('policy_adapter_connected'))[0]?.endsWith(' 0'),
  );
  t.deepEqual(await ask('/away'), failed);
  t.true(rig.log.some(({ message }) => message === 'handler of rules failed, the fail policy of the request decides'));
  t.true(rig.ownLog.some(({ message }) => message === 'no connection to an adapter'));
});

test('calls of an adapter that takes connections and does not answer are spared until one has an answer', async (t) => {
  const adapter = await startAdapter(t, () => undefined);
  const rig = createOwnRig(t);
  rig.apply(objectsOf(adapter.port, 'listentry', '{value: request.path}').replace('timeout: 10s', 'timeout: 50ms'));
  const ask = async (path: string) => (await rig.check({ 'request.path': path }, undefined, FAIL_CLOSE)).status.code;
  for (let n = 0; n < 3; n++) t.is(await ask(`/${n}`), 'UNAVAILABLE');
  const asked = adapter.calls.length;
  for (let n = 0; n < 100; n++) t.is(await ask(`/again${n}`), 'UNAVAILABLE');
  t.true(adapter.calls.length - asked <= 5, `${adapter.calls.length - asked} calls`);
  adapter.answer = () => ({});
  await eventually('the adapter is asked again', async () => (await ask('/later')) === 'OK');
});

test('no more than 256 calls wait for an adapter, and the others fail at once', async (t) => {
  const adapter = await startAdapter(t, () => new Promise(() => undefined));
  const rig = createOwnRig(t);
  rig.apply(objectsOf(adapter.port, 'listentry', '{value: request.path}').replace('timeout: 10s', 'timeout: 20s'));
  const answers = Array.from({ length: 300 }, (_, n) =>
    Promise.resolve(rig.check({ 'request.path': `/${n}` }, undefined, FAIL_CLOSE)),
  );
  const first = await Promise.race(answers);
  t.is(first.failure, 'rule');
  await eventually('the calls arrive', () => adapter.calls.length >= 256);
  t.is(adapter.calls.length, 256);
  adapter.stop();
  await Promise.all(answers);
});

test('an address of this machine is refused unless NAV_EGRESS_ALLOWED has it', async (t) => {
  const adapter = await startAdapter(t);
  const rig = createOwnRig(t, { egressAllowed: [] });
  rig.apply(objectsOf(adapter.port, 'listentry', '{value: request.path}'));
  t.is((await rig.check({ 'request.path': '/a' }, undefined, FAIL_CLOSE)).failure, 'rule');
  const told = rig.ownLog.find(({ message }) => message === 'no connection to an adapter');
  t.regex(String((told?.fields['err'] as Error | undefined)?.message), /127\.0\.0\.1 is an address of this machine/);
  t.deepEqual(adapter.calls, []);
});
