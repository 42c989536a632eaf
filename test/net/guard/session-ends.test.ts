import { once } from 'node:events';
import { connect, createServer, type ServerHttp2Session } from 'node:http2';
import type { AddressInfo } from 'node:net';
import test from 'ava';
import { createSessionEnds } from '../../../src/net/guard/session-ends.js';
import {
  END_HEADERS,
  FRAME,
  grpcHeaders,
  headerBlock,
  http2Frame,
  PREFACE,
  SETTINGS,
} from '../../attacks/support/http2-frames.js';
import { callUnary } from '../../attacks/support/raw-http2.js';
import { collectGarbage } from '../../support/collect-garbage.js';
import { untilClosed } from '../../support/until-closed.js';
import { startGuardedServer, UNARY } from './guard-rig.js';

test('a malformed frame after a GOAWAY does not end the process', async (t) => {
  const rig = await startGuardedServer(t);
  const headers = http2Frame(FRAME.headers, END_HEADERS, 1, headerBlock(grpcHeaders(UNARY)));
  for (const code of [0, 1]) {
    const goaway = http2Frame(FRAME.goaway, 0, 0, Buffer.from([0, 0, 0, 0, 0, 0, 0, code, 1, 2, 3, 4, 5, 6, 7, 8]));
    for (const malformed of [
      http2Frame(FRAME.settings, 1, 0, Buffer.alloc(6)),
      http2Frame(FRAME.ping, 0, 0, Buffer.alloc(7)),
      http2Frame(FRAME.rstStream, 0, 1, Buffer.alloc(5)),
    ]) {
      const filler = http2Frame(FRAME.data, 0, 1, Buffer.alloc(200));
      const socket = rig.sendLate(Buffer.concat([PREFACE, SETTINGS, goaway, headers, malformed, filler]));
      await untilClosed(socket);
    }
  }
  const bytes = Buffer.from('hello');
  t.deepEqual(await callUnary(rig.connect(), UNARY, bytes), bytes);
});

test('the native object of a session is released soon after the end of the session', async (t) => {
  const ends = createSessionEnds();
  const server = createServer();
  t.teardown(() => server.close());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const opened = once(server, 'session') as Promise<[ServerHttp2Session]>;
  const client = connect(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  const native = await opened.then(([session]) => {
    ends.watch(session);
    return nativeOf(session);
  });
  const closed = opened.then(([session]) => untilClosed(session));
  client.destroy();
  await closed;
  for (let turn = 0; turn < 20 && native.deref() !== undefined; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collectGarbage();
  }
  t.is(native.deref(), undefined);
});

function nativeOf(session: ServerHttp2Session): WeakRef<object> {
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'kHandle');
  return new WeakRef(Reflect.get(session, key ?? '') as object);
}
