import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import test, { type ExecutionContext } from 'ava';
import { createHttpVersionDetector, type HttpVersion } from '../../src/net/detect-http-version.js';
import { createTcpListener } from '../../src/net/tcp-listener.js';
import { eventually } from '../support/eventually.js';
import { createFakeClock } from '../support/fake-clock.js';
import { untilClosed } from '../support/until-closed.js';

async function detect(t: ExecutionContext) {
  const clock = createFakeClock();
  const taken: { readonly version: HttpVersion; readonly socket: Socket }[] = [];
  const refused: string[] = [];
  const detector = createHttpVersionDetector(
    clock,
    (socket, version) => taken.push({ socket, version }),
    (_socket, reason) => refused.push(reason),
  );
  const listener = createTcpListener(detector);
  const port = await listener.listen('127.0.0.1', 0);
  t.teardown(async () => {
    listener.hangUp();
    await listener.close();
  });
  const open = async (): Promise<Socket> => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true });
    socket.on('error', () => undefined);
    t.teardown(() => socket.destroy());
    await once(socket, 'connect');
    return socket;
  };
  return { clock, taken, refused, open };
}

for (const [first, version] of [
  ['PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', 'h2'],
  ['GET / HTTP/1.1\r\n', 'http/1.1'],
  ['POST / HTTP/1.1\r\n', 'http/1.1'],
  ['PRINT / HTTP/1.1\r\n', 'http/1.1'],
] as const) {
  test(`${JSON.stringify(first)} is ${version}, also byte by byte, and its reader gets all of it`, async (t) => {
    const { taken, open } = await detect(t);
    const whole = await open();
    whole.write(first);
    await eventually('the connection is taken', () => taken.length === 1);
    const inPieces = await open();
    for (const byte of Buffer.from(first)) {
      inPieces.write(Buffer.from([byte]));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await eventually('the other one is taken', () => taken.length === 2);
    for (const { socket, version: detected } of taken) {
      t.is(detected, version);
      let read = '';
      socket.on('data', (bytes: Buffer) => {
        read += bytes.toString();
      });
      socket.resume();
      await eventually('all bytes are read', () => read === first);
    }
  });
}

test('a connection that sends too little is closed after ten seconds', async (t) => {
  const { clock, taken, refused, open } = await detect(t);
  const socket = await open();
  socket.write('PRI');
  await eventually('it waits', () => clock.timers === 1);
  const closed = untilClosed(socket);
  clock.advance(10_000);
  await closed;
  t.deepEqual(refused, ['nothing was sent within 10 s']);
  t.is(taken.length, 0);
  t.is(clock.timers, 0);
});
