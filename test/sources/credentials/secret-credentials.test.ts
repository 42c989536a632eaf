import test from 'ava';
import type { WatchedList } from '../../../src/kubernetes/watch/list-watcher.js';
import type { RawObject } from '../../../src/kubernetes/watch/raw-object.js';
import { createSecretCredentials } from '../../../src/sources/credentials/secret-credentials.js';
import { createTestAuthority, type TestCertificate } from '../../support/certificate-issuer.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const AUTHORITY = createTestAuthority('root');
const [FIRST, SECOND] = [1, 2].map(() => AUTHORITY.issue({ dnsNames: ['shop.example.com'] })) as [
  TestCertificate,
  TestCertificate,
];

function secret(name: string, data: Readonly<Record<string, string>>): RawObject {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'edge', resourceVersion: '1' },
    data: Object.fromEntries(encoded),
  } as unknown as RawObject;
}

const tls = ({ certificate, key }: TestCertificate) => ({ 'tls.crt': certificate, 'tls.key': key });

/** A cluster whose watches the test feeds. */
function createCluster() {
  const lists: WatchedList[] = [];
  let stopped = 0;
  const logger = createRecordingLogger();
  const store = createSecretCredentials({
    createWatcher: async () => ({
      watch: (list) => void lists.push(list),
      stop: async () => void stopped++,
    }),
    logger,
  });
  const list = async (): Promise<WatchedList> => {
    await new Promise(setImmediate);
    const last = lists.at(-1);
    if (last === undefined) throw new Error('nothing is watched');
    return last;
  };
  const deliver = async (...objects: RawObject[]): Promise<void> => {
    const replacement = (await list()).sink.replace();
    replacement.add(objects);
    replacement.commit();
  };
  return { store, logger, lists, list, deliver, stopped: () => stopped };
}

test('the Secrets of a namespace are watched while a router of it is connected, and no others', async (t) => {
  const cluster = createCluster();
  let changes = 0;
  const readers = [1, 2].map(() => cluster.store.open('edge', () => changes++));
  t.is(readers[0]?.read('shop', 'certificate').type, 'loading');
  await cluster.deliver(secret('shop', tls(FIRST)), secret('roots-cacert', { 'ca.crt': AUTHORITY.certificate }));
  t.is(changes, 2);
  t.deepEqual(
    cluster.lists.map(({ definition, namespace }) => [definition.plural, namespace]),
    [['secrets', 'edge']],
  );
  t.like(readers[1]?.read('shop', 'certificate'), {
    type: 'certificate',
    chain: FIRST.certificate,
    privateKey: FIRST.key,
  });
  t.is(readers[1]?.read('roots', 'roots').type, 'roots');
  t.is(readers[1]?.read('other', 'certificate').type, 'unusable');
  readers[0]?.close();
  t.is(cluster.stopped(), 0);
  readers[1]?.close();
  await cluster.store.stop();
  t.is(cluster.stopped(), 1);
});

test('a changed Secret is served, a malformed one is logged and changes nothing, and a deleted one is gone', async (t) => {
  const cluster = createCluster();
  const reader = cluster.store.open('edge', () => undefined);
  await cluster.deliver(secret('shop', tls(FIRST)));
  const chain = () => {
    const state = reader.read('shop', 'certificate');
    return state.type === 'certificate' ? state.chain : state.type;
  };
  t.is(chain(), FIRST.certificate);
  const { sink } = await cluster.list();
  sink.apply([{ type: 'MODIFIED', object: secret('shop', tls(SECOND)) }]);
  t.is(chain(), SECOND.certificate);
  sink.apply([{ type: 'MODIFIED', object: secret('shop', { ...tls(FIRST), 'tls.key': SECOND.key }) }]);
  t.is(chain(), SECOND.certificate);
  t.is(cluster.logger.records.length, 1);
  t.false(JSON.stringify(cluster.logger.records).includes('BEGIN'));
  sink.apply([{ type: 'DELETED', object: secret('shop', {}) }]);
  t.is(chain(), 'unusable');
  await cluster.store.stop();
});

test('without the right to read Secrets, the reason names the namespace and the remedy', async (t) => {
  const cluster = createCluster();
  const reader = cluster.store.open('edge', () => undefined);
  const { onState } = await cluster.list();
  onState?.({ type: 'forbidden', verb: 'list', err: new Error('forbidden') as never });
  const state = reader.read('shop', 'certificate');
  t.is(
    state.type === 'unusable' ? state.reason : state.type,
    'the control plane may not read secrets of its namespace; allow the control plane to list and watch secrets in namespace edge (a Role and a RoleBinding)',
  );
  await cluster.deliver(secret('shop', tls(FIRST)));
  t.is(reader.read('shop', 'certificate').type, 'certificate');
  await cluster.store.stop();
});
