import test from 'ava';
import { createAskingInstances } from '../../src/instances/ask-instances.js';
import { createFakeClock } from '../support/fake-clock.js';

test('at most 32 instances are asked, and the others are counted', async (t) => {
  const instances = createAskingInstances({
    addresses: () => Array.from({ length: 33 }, (_, index) => `10.0.0.${index}:15012`),
    material: () => undefined,
    serverName: 'mesh-navigator.mesh-system.svc',
    ownId: 'own',
    clock: createFakeClock(),
  });
  t.teardown(() => instances.close());
  const { silent } = await instances.ask({ path: '/debug', form: 'json' });
  t.is(silent.length, 33);
  t.deepEqual(silent.at(-1), { name: '1 more instances', reason: 'at most 32 are asked' });
});
