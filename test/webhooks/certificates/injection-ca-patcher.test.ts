import test from 'ava';
import type { ApiRequest } from '../../../src/kubernetes/client/api-sender.js';
import type { WatchedList } from '../../../src/kubernetes/watch/list-watcher.js';
import { createInjectionCaPatcher } from '../../../src/webhooks/certificates/injection-ca-patcher.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { createTestCaBundle } from '../fixtures/ca-bundle.js';

test('two control planes that revert the writes of each other do not do so endlessly', async (t) => {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const watched: WatchedList[] = [];
  let writes = 0;
  const send = async ({ method }: ApiRequest) => {
    if (method === 'PATCH') writes += 1;
    const webhooks = [{ name: 'sidecar-injector.mesh.internal', clientConfig: { caBundle: 'of the other' } }];
    return { status: 200, body: { webhooks }, retryAfterMs: undefined };
  };
  const patcher = createInjectionCaPatcher({
    configName: 'mesh-sidecar-injector',
    meshDomain: 'mesh.internal',
    caBundle: createTestCaBundle(createTestAuthority('root').certificate),
    send,
    createWatcher: () => ({ watch: (list) => void watched.push(list), stop: async () => undefined }),
    clock,
    logger,
  });
  patcher.start();
  t.teardown(() => patcher.stop());
  const theOtherWrites = () => watched[0]?.sink.apply([]);
  for (let count = 1; count <= 5; count++) {
    await eventually('it is patched', () => writes === count);
    theOtherWrites();
  }
  await eventually('it is told', () => logger.records.some(({ level }) => level === 'warn'));
  theOtherWrites();
  clock.advance(4_999);
  t.is(writes, 5);
  clock.advance(1);
  await eventually('it is patched once more', () => writes === 6);
});
