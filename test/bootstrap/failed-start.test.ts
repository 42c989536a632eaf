import { type AddressInfo, createServer } from 'node:net';
import test from 'ava';
import { eventually } from '../support/eventually.js';
import { startServer } from './support/running-server.js';

const listeners = (): number => process.getActiveResourcesInfo().filter((each) => each === 'TCPServerWrap').length;

test('a start that fails because one address is in use leaves no listener open after a stop', async (t) => {
  const taken = createServer().listen(0, '127.0.0.1');
  t.teardown(() => void taken.close());
  await new Promise((resolve) => taken.once('listening', resolve));
  const { port } = taken.address() as AddressInfo;
  const before = listeners();
  const ends: (() => unknown)[] = [];
  const starting = startServer(
    { teardown: (end) => void ends.push(end) },
    // The secured listener opens after its authority has made a key, long after the error.
    { variables: { ENABLE_CA_SERVER: 'true' }, flags: ['--httpAddr', `127.0.0.1:${port}`] },
  );
  await t.throwsAsync(starting, { message: /another process uses the port/ });
  for (const end of ends) await end();
  await eventually('no other listener is open', () => listeners() === before);
});
