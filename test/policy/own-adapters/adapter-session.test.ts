import test, { type ExecutionContext } from 'ava';
import { eventually } from '../../support/eventually.js';
import { FAIL_CLOSE } from '../rules/rule-rig.js';
import { type Answer, AnswerError, createOwnRig, startAdapter, TestAdapter } from './adapter-rig.js';

const objects = (port: number, more = '') => `rule shop/r {actions: [{handler: h, instances: [i]}]}
  handler shop/h {adapter: a, connection: {address: "127.0.0.1:${port}", timeout: 10s}}
  adapter shop/a {templates: [authorization, listentry], session_based: true}
  instance shop/i {compiledTemplate: authorization, params: {subject: {user: request.path, properties: {size: request.size, ip: source.ip}}}}
  ${more}`;
const REQUEST = {
  'request.path': '/a',
  'request.size': { type: 'int64', value: 1n },
  'source.ip': { type: 'bytes', value: Buffer.from([10, 0, 0, 1]) },
} as const;
const SESSION_TYPE = 'google.protobuf.Any.type_url';

/** An adapter that knows the sessions that it has created, and no others. */
function sessions(): { readonly answer: Answer; readonly open: Set<string> } {
  const open = new Set<string>();
  let count = 0;
  return {
    open,
    answer: ({ method, request }) => {
      switch (method) {
        case 'Validate':
          return { status: {} };
        case 'CreateSession':
          open.add(`s${++count}`);
          return { session_id: `s${count}`, status: {} };
        case 'CloseSession':
          open.delete(request.session_id);
          return { status: {} };
        default: {
          const { type_url: type, value } = request.adapter_config;
          if (type !== SESSION_TYPE || !open.has(String(value))) throw new AnswerError('NOT_FOUND', 'no such session');
          return { status: {} };
        }
      }
    },
  };
}

async function start(t: ExecutionContext) {
  const known = sessions();
  const adapter = await startAdapter(t, known.answer);
  const rig = createOwnRig(t);
  rig.apply(objects(adapter.port));
  const code = async () => (await rig.check(REQUEST, undefined, FAIL_CLOSE)).status.code;
  return { adapter, rig, known, code };
}

test('a session begins before the first call, tells the types of instances, and ends with its handler', async (t) => {
  const { adapter, rig, known, code } = await start(t);
  t.deepEqual(await Promise.all([code(), code(), code()]), ['OK', 'OK', 'OK']);
  t.deepEqual(
    adapter.calls.map(({ method }) => method),
    ['Validate', 'CreateSession', ...Array(3).fill('HandleAuthorization')],
  );
  const { inferred_types: types } = adapter.of('CreateSession')[0]?.request ?? {};
  t.deepEqual(Object.keys(types), ['i.instance.shop']);
  t.is(types['i.instance.shop'].type_url, 'type.googleapis.com/authorization.Type');
  // subject.properties: {size: INT64, ip: IP_ADDRESS}, and an empty action
  t.is(types['i.instance.shop'].value.toString('hex'), '0a121a080a0473697a6510021a060a02697010061200');
  rig.apply('');
  await eventually('the session ends', () => known.open.size === 0);
});

test('another instance of the handler begins another session, and the former one ends', async (t) => {
  const { adapter, rig, known, code } = await start(t);
  await code();
  const more = 'instance shop/j {compiledTemplate: listentry, params: {value: request.path}}';
  rig.apply(objects(adapter.port, `${more}\nrule shop/s {actions: [{handler: h, instances: [j]}]}`));
  t.is(await code(), 'OK');
  await eventually('one session is left', () => known.open.size === 1 && adapter.of('CreateSession').length === 2);
  t.deepEqual(Object.keys(adapter.of('CreateSession')[1]?.request.inferred_types), [
    'i.instance.shop',
    'j.instance.shop',
  ]);
});

test('a session begins again when the adapter was restarted, or does not know it any more', async (t) => {
  const { adapter, known, code } = await start(t);
  await code();
  known.open.clear();
  t.is(await code(), 'OK', 'the adapter has forgotten the session');
  t.is(adapter.of('CreateSession').length, 2);

  const { port } = adapter;
  adapter.stop();
  await eventually('calls fail', async () => (await code()) === 'UNAVAILABLE');
  const restarted = new TestAdapter();
  restarted.answer = sessions().answer;
  await restarted.listen(port);
  t.teardown(() => restarted.stop());
  await eventually('calls work again', async () => (await code()) === 'OK');
  t.deepEqual(
    restarted.calls.slice(0, 3).map(({ method }) => method),
    ['Validate', 'CreateSession', 'CloseSession'],
  );
});

test('an adapter that refuses the parameters gets no calls, and its words are logged', async (t) => {
  const adapter = await startAdapter(t, ({ method }) =>
    method === 'Validate' ? { status: { code: 3, message: 'no region' } } : {},
  );
  const rig = createOwnRig(t);
  rig.apply(objects(adapter.port));
  t.is((await rig.check(REQUEST, undefined, FAIL_CLOSE)).failure, 'rule');
  t.deepEqual(
    adapter.calls.map(({ method }) => method),
    ['Validate'],
  );
  const failed = rig.log.find(
    ({ message }) => message === 'handler of rules failed, the fail policy of the request decides',
  );
  t.is(String(failed?.fields['err']), 'AdapterError: the adapter refused the parameters: no region');
});
