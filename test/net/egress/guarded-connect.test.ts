import { createServer } from 'node:net';
import { createServer as createSecuredServer } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { createEgressRules } from '../../../src/net/egress/egress-rules.js';
import { createGuardedConnect } from '../../../src/net/egress/guarded-connect.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';

async function listen(t: ExecutionContext, server: ReturnType<typeof createServer>): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

const connectWith = (allowed: readonly string[]) =>
  createGuardedConnect({
    rules: createEgressRules(allowed),
    resolveName: async () => [{ address: '127.0.0.1', family: 4 }],
  });

test('a name connects to an address that the rules allow, and to no other', async (t) => {
  const port = await listen(
    t,
    createServer((socket) => socket.end()),
  );
  const socket = await connectWith(['127.0.0.1'])({ host: 'redis.test', port }, 5000);
  t.is(socket.remoteAddress, '127.0.0.1');
  socket.destroy();
  const refused = connectWith([])({ host: 'redis.test', port }, 5000);
  await t.throwsAsync(refused, {
    message: 'redis.test resolves to an address that is not allowed: 127.0.0.1 is an address of this machine',
  });
  for (const host of ['127.0.0.1', '169.254.169.254', '::1']) {
    const message = /^its address is not allowed: /;
    await t.throwsAsync(connectWith([])({ host, port }, 5000), { message });
  }
});

test('TLS verifies the certificate for the name', async (t) => {
  const authority = createTestAuthority('redis');
  const { certificate, key } = authority.issue({ dnsNames: ['redis.test'] });
  const server = createSecuredServer({ cert: certificate, key }, (socket) => socket.on('error', () => undefined));
  server.on('tlsClientError', () => undefined);
  const port = await listen(t, server);
  const tls = { ca: authority.certificate };
  const connect = connectWith(['127.0.0.1']);
  const socket = await connect({ host: 'redis.test', port, tls }, 5000);
  socket.destroy();
  await t.throwsAsync(connect({ host: 'other.test', port, tls }, 5000), { message: /altnames/ });
  await t.throwsAsync(connect({ host: 'redis.test', port, tls: {} }, 5000), { message: /certificate/ });
});

test('a server that never answers is given up after the timeout', async (t) => {
  const port = await listen(
    t,
    createServer((socket) => socket.on('error', () => undefined)),
  );
  // The server says nothing, so the TLS handshake does not end.
  const pending = connectWith(['127.0.0.1'])({ host: 'redis.test', port, tls: {} }, 100);
  await t.throwsAsync(pending, { message: 'no connection within 100 ms' });
});
