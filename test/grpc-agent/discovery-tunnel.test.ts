import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { createServer, type TLSSocket } from 'node:tls';
import test, { type ExecutionContext } from 'ava';
import { createDiscoveryTunnel } from '../../src/grpc-agent/discovery-tunnel.js';
import { createTempFolder } from '../sources/support/temp-folder.js';
import { createTestAuthority } from '../support/certificate-issuer.js';
import { eventually } from '../support/eventually.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';
import { untilClosed } from '../support/until-closed.js';

const IDENTITY = 'spiffe://cluster.local/ns/shop/sa/cart';
const LIFE_MS = 60_000;
const endAfter = (ms: number): Date => new Date(createFakeClock().now().getTime() + ms);
const authority = createTestAuthority('mesh root');
const pod = authority.issue({ uris: [IDENTITY] });
const certificate = {
  ...{ certificateChain: pod.certificate, privateKey: pod.key, roots: authority.certificate },
  notAfter: endAfter(LIFE_MS),
};

/** A tunnel to a server that requires certificates, and answers with what it receives. */
async function startTunnel(t: ExecutionContext, serverName = 'meshd.test') {
  const peers: TLSSocket[] = [];
  const received: string[] = [];
  const { certificate: cert, key } = authority.issue({ dnsNames: ['meshd.test'] });
  const server = createServer(
    { cert, key, ca: authority.certificate, requestCert: true, ALPNProtocols: ['h2'] },
    (peer) => {
      peers.push(peer);
      peer
        .on('data', (bytes) => received.push(String(bytes)))
        .on('error', () => undefined)
        .pipe(peer);
    },
  ).listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    for (const peer of peers) peer.destroy();
    server.close();
  });
  const folder = await createTempFolder();
  t.teardown(() => folder.dispose());
  await folder.write('xds.sock', 'of an earlier process');
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const given: { certificate: typeof certificate | undefined } = { certificate };
  const tunnel = createDiscoveryTunnel({
    ...{ socket: folder.at('xds.sock'), serverName, clock, logger },
    address: { host: '127.0.0.1', port: (server.address() as AddressInfo).port },
    certificate: () => given.certificate,
  });
  await tunnel.start();
  t.teardown(() => tunnel.stop());
  const open = (): Socket => {
    const socket = connect(folder.at('xds.sock')).on('error', () => undefined);
    t.teardown(() => socket.destroy());
    return socket;
  };
  const messages = (): readonly string[] => logger.records.map(({ message }) => message);
  return { folder, clock, tunnel, given, peers, received, open, messages };
}

/** The answer to bytes. */
async function echo(socket: Socket, text: string): Promise<string> {
  socket.write(text);
  const [answer] = await once(socket, 'data');
  return String(answer);
}

test('bytes of a library reach the control plane over TLS with the certificate of the pod', async (t) => {
  const { peers, open, folder, messages } = await startTunnel(t);
  t.is(await echo(open(), 'hello'), 'hello');
  const [peer] = peers;
  t.is(peer?.getPeerCertificate().subjectaltname, `URI:${IDENTITY}`);
  t.is(peer?.alpnProtocol, 'h2');
  t.is((await stat(folder.at('xds.sock'))).mode & 0o777, 0o666, 'applications run as any user');
  t.deepEqual(messages(), []);
});

test('a connection ends with the certificate that it showed, and the next one shows the present one', async (t) => {
  const { clock, open, given, peers } = await startTunnel(t);
  const first = open();
  await echo(first, 'hello');
  const next = authority.issue({ uris: ['spiffe://cluster.local/ns/shop/sa/next'] });
  given.certificate = {
    ...certificate,
    certificateChain: next.certificate,
    privateKey: next.key,
    notAfter: endAfter(2 * LIFE_MS),
  };
  const closed = untilClosed(first);
  clock.advance(LIFE_MS);
  await closed;
  await echo(open(), 'hello');
  t.is(peers[1]?.getPeerCertificate().subjectaltname, 'URI:spiffe://cluster.local/ns/shop/sa/next');
});

test('no byte goes to a server with another name, and the log says it once', async (t) => {
  const { open, messages, received } = await startTunnel(t, 'other.test');
  for (let attempt = 0; attempt < 2; attempt++) {
    const socket = open();
    socket.write('hello');
    await untilClosed(socket.resume());
  }
  t.deepEqual(received, []);
  t.deepEqual(messages(), ['connection of a gRPC library to the control plane failed, the library retries']);
});

test('connections before the first certificate are closed, and later ones work', async (t) => {
  const { open, given, messages } = await startTunnel(t);
  given.certificate = undefined;
  await untilClosed(open().resume());
  given.certificate = certificate;
  t.is(await echo(open(), 'hello'), 'hello');
  t.deepEqual(messages(), [
    'connection of a gRPC library to the control plane failed, the library retries',
    'gRPC libraries are connected to the control plane again',
  ]);
});

test('both sides learn when the other one closes, and a stop closes all connections', async (t) => {
  const { open, peers, tunnel } = await startTunnel(t);
  const [leaving, left, stopped] = [open(), open(), open()];
  for (const socket of [leaving, left, stopped]) await echo(socket, 'hello');
  leaving.destroy();
  await eventually('the control plane learns it', () => peers[0]?.closed);
  const closed = untilClosed(left.resume());
  peers[1]?.destroy();
  await closed;
  const end = untilClosed(stopped.resume());
  await tunnel.stop();
  await end;
  t.true(stopped.destroyed);
});
