import { createServer, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createEgressRules } from '../../../src/net/egress/egress-rules.js';
import { createGuardedConnect } from '../../../src/net/egress/guarded-connect.js';
import { openRedisSession } from '../../../src/policy/quota/redis/redis-session.js';

/** A server of a tenant that answers the first bytes of each connection with these. */
async function hostileServer(t: ExecutionContext, answer: string): Promise<number> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.once('data', () => socket.write(answer));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  return typeof address === 'object' ? (address?.port ?? 0) : 0;
}

const connect = createGuardedConnect({ rules: createEgressRules(['127.0.0.1']) });

// Without the check, the first two end the process: the client throws where nothing catches it.
for (const [what, answer, reason] of [
  ['sends a reply without a command', '+OK\r\n$-1\r\n', 'a reply came without a command'],
  ['sends a push of RESP3', '>1\r\n_\r\n', 'a reply is not in RESP2'],
  ['sends a long reply', '$100000000\r\n', 'a reply has more than 65536 bytes'],
  ['sends lists in lists', '*1\r\n'.repeat(10_000), 'a reply has more than 4 levels'],
] as const) {
  test(`a Redis that ${what} is disconnected, with the reason`, async (t) => {
    const port = await hostileServer(t, answer);
    const session = await openRedisSession({ host: '127.0.0.1', port }, 5000, connect);
    const answered = session.command('EXISTS', 'a').then(
      () => 'answered',
      (error: Error) => error.message,
    );
    t.is(await session.ended, reason);
    t.true(['answered', reason].includes(await answered));
  });
}

test('a long error of Redis is shortened', async (t) => {
  const port = await hostileServer(t, `-ERR ${'a'.repeat(10_000)}\r\n`);
  const session = await openRedisSession({ host: '127.0.0.1', port }, 5000, connect);
  const { message } = (await t.throwsAsync(session.command('EXISTS', 'a'))) ?? {};
  t.is(message?.length, 256);
  session.close();
});
