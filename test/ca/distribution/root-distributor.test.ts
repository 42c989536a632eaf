import test from 'ava';
import { createRootDistributor } from '../../../src/ca/distribution/root-distributor.js';
import type { WatchedList } from '../../../src/kubernetes/watch/list-watcher.js';
import type { RawObject } from '../../../src/kubernetes/watch/raw-object.js';
import { createManualClock } from '../../sources/support/manual-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const SHOP: RawObject = { metadata: { name: 'shop', resourceVersion: '1' } };

for (const order of [
  ['Namespace', 'ConfigMap'],
  ['ConfigMap', 'Namespace'],
]) {
  test(`namespaces get roots at once also when the list of ${order[1]}s arrives last`, async (t) => {
    const clock = createManualClock();
    const lists = new Map<string, WatchedList>();
    const written: string[] = [];
    const distributor = createRootDistributor({
      send: async ({ path }) => {
        written.push(path);
        return { status: 200, body: {}, retryAfterMs: undefined };
      },
      watcher: { watch: (list) => void lists.set(list.definition.kind, list), stop: async () => undefined },
      roots: () => 'a root',
      meshDomain: 'mesh.internal',
      clock,
      logger: createRecordingLogger(),
      random: () => 0.5,
    });
    distributor.start();
    for (const kind of order) {
      const replacement = lists.get(kind)?.sink.replace();
      if (kind === 'Namespace') replacement?.add([SHOP]);
      replacement?.commit();
    }
    clock.advance(0);
    await distributor.stop();
    t.deepEqual(written, ['/api/v1/namespaces/shop/configmaps/mesh-ca-root-cert']);
  });
}
