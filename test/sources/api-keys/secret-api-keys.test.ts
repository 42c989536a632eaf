import { createHash } from 'node:crypto';
import test from 'ava';
import type { WatchedList } from '../../../src/kubernetes/watch/list-watcher.js';
import type { RawObject } from '../../../src/kubernetes/watch/raw-object.js';
import type { ApiKeySecrets } from '../../../src/model/policy/plans/api-key-secrets.js';
import { createSecretApiKeys } from '../../../src/sources/api-keys/secret-api-keys.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

function secret(name: string, data: Readonly<Record<string, string>>): RawObject {
  const encoded = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'shop', resourceVersion: '1' },
    data: Object.fromEntries(encoded),
  } as unknown as RawObject;
}

/** A cluster whose watches the test feeds. */
function createCluster() {
  const lists: WatchedList[] = [];
  const clock = createFakeClock();
  let stopped = 0;
  let secrets: ApiKeySecrets = new Map();
  const changes: (readonly string[])[] = [];
  const source = createSecretApiKeys({
    createWatcher: async () => ({
      watch: (list) => void lists.push(list),
      stop: async () => void stopped++,
    }),
    onKeys: (next, changed) => {
      secrets = next;
      changes.push([...changed]);
    },
    clock,
    logger: createRecordingLogger(),
  });
  const list = async (): Promise<WatchedList> => {
    for (let turn = 0; turn < 5; turn++) await new Promise(setImmediate);
    const last = lists.at(-1);
    if (last === undefined) throw new Error('nothing is watched');
    return last;
  };
  return {
    source,
    clock,
    lists,
    list,
    changes,
    stopped: () => stopped,
    state: (name: string) => secrets.get(name),
    follow: (...names: readonly string[]) => {
      source.follow(names.length === 0 ? new Map() : new Map([['shop', new Set(names)]]));
      clock.advance(200);
    },
    deliver: async (...objects: RawObject[]): Promise<void> => {
      const replacement = (await list()).sink.replace();
      replacement.add(objects);
      replacement.commit();
    },
  };
}

test('only the named Secrets of a namespace are read, and only their hashes are kept', async (t) => {
  const cluster = createCluster();
  cluster.follow('acme');
  await cluster.deliver(secret('acme', { key: `k1\n# old\n\nsha256:${hashOf('k2')}` }), secret('other', { key: 'k3' }));
  t.deepEqual(
    cluster.lists.map(({ definition, namespace }) => [definition.plural, namespace]),
    [['secrets', 'shop']],
  );
  t.deepEqual(cluster.state('shop/acme'), {
    type: 'keys',
    entries: new Map([['key', [hashOf('k1'), hashOf('k2')]]]),
  });
  t.is(cluster.state('shop/other'), undefined);
  await cluster.source.stop();
  t.is(cluster.stopped(), 1);
});

test('a changed Secret is told once, an unchanged one is not, and a deleted or missing one is told with its remedy', async (t) => {
  const cluster = createCluster();
  cluster.follow('acme', 'gone');
  await cluster.deliver(secret('acme', { key: 'k1' }));
  t.like(cluster.state('shop/gone'), {
    type: 'unusable',
    reason: 'it does not exist',
    remedy: 'create it in the namespace of the Consumer',
  });
  const { sink } = await cluster.list();
  sink.apply([{ type: 'MODIFIED', object: secret('acme', { key: 'k1' }) }]);
  t.is(cluster.changes.length, 1);
  sink.apply([{ type: 'MODIFIED', object: secret('acme', { key: 'k2' }) }]);
  t.deepEqual(cluster.changes.at(-1), ['shop/acme']);
  sink.apply([{ type: 'DELETED', object: secret('acme', { key: 'k2' }) }]);
  t.like(cluster.state('shop/acme'), { type: 'unusable' });
  await cluster.source.stop();
});

test('a namespace without the right to read Secrets is told with the right that it needs', async (t) => {
  const cluster = createCluster();
  cluster.follow('acme');
  (await cluster.list()).onState?.({ type: 'forbidden' } as never);
  const state = cluster.state('shop/acme');
  t.regex(
    state?.type === 'unusable' ? (state.remedy ?? '') : '',
    /allow the control plane to list and watch secrets in namespace shop/,
  );
  await cluster.source.stop();
});

test('a new name lists the Secrets again, and no name ends the watch', async (t) => {
  const cluster = createCluster();
  cluster.follow('acme');
  await cluster.deliver(secret('acme', { key: 'k1' }));
  cluster.follow('acme', 'later');
  await cluster.deliver(secret('acme', { key: 'k1' }), secret('later', { key: 'k2' }));
  t.is(cluster.lists.length, 2);
  t.deepEqual(cluster.state('shop/later'), { type: 'keys', entries: new Map([['key', [hashOf('k2')]]]) });
  cluster.follow();
  await cluster.source.stop();
  t.is(cluster.stopped(), 2);
});

test('a Secret that is named again has its keys at once', async (t) => {
  const cluster = createCluster();
  cluster.follow('acme', 'other');
  await cluster.deliver(secret('acme', { key: 'k1' }), secret('other', { key: 'k2' }));
  cluster.follow('other');
  cluster.follow('acme', 'other');
  t.deepEqual(cluster.changes.at(-1), ['shop/acme']);
  t.deepEqual(cluster.state('shop/acme'), { type: 'keys', entries: new Map([['key', [hashOf('k1')]]]) });
  t.is(cluster.lists.length, 1, 'the running watch has kept it');
  await cluster.source.stop();
});

test('the first read ends when each Secret was looked for, or after its time', async (t) => {
  const cluster = createCluster();
  cluster.follow('acme');
  const read = cluster.source.readAll(5000);
  await cluster.deliver();
  await read;
  const slow = createCluster();
  slow.follow('acme');
  const late = slow.source.readAll(5000);
  slow.clock.advance(5000);
  await late;
  t.is(slow.state('shop/acme'), undefined, 'its keys are not read yet, so the fail policy decides');
  await Promise.all([cluster, slow].map(({ source }) => source.stop()));
});
