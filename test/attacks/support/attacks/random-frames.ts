import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import type { Attack, AttackTarget } from '../attack.js';
import { attackTime } from '../attack-time.js';
import { createRandom, type Random } from '../random.js';
import { randomConversation } from '../random-frames.js';
import { randomRequests } from '../random-requests.js';

const CONNECTIONS = 8;
/** Each uses its own address, so that limits per address do not reject most of them. */
const ADDRESSES = 200;
/** A connection is ended after this long, if the server has not ended it. */
const LINGER_MS = 60;

/** Valid and invalid HTTP/2 frames and HTTP requests in random order, in one packet or in pieces, cut off at any byte. */
export const attack: Attack = {
  title: `${CONNECTIONS} peers that send random HTTP/2 frames and HTTP requests and hang up at any byte, with and without TLS`,
  async run(target, scale, signal) {
    const until = attackTime(signal, this.durationMs);
    let opened = 0;
    const peers = Array.from({ length: CONNECTIONS * scale }, async () => {
      while (!until.aborted) await converse(target, createRandom(`${target.seed}/${opened++}`), until);
    });
    await Promise.all(peers);
    return `${opened} connections with the seed ${target.seed}`;
  },
};

async function converse(target: AttackTarget, random: Random, signal: AbortSignal): Promise<void> {
  const { grpc, secureGrpc, policy, http, monitoring, https } = target.ports;
  const isHttp2 = random.chance(0.9);
  const port = isHttp2 ? random.pick([grpc, secureGrpc, policy, policy]) : random.pick([http, monitoring, https]);
  const isTls =
    random.chance(0.1) !== (port === secureGrpc || port === https || (port === policy && random.chance(0.5)));
  const socket = open(target, port, isTls, random);
  await new Promise<void>((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      if (random.chance(0.3) && !isTls) socket.resetAndDestroy();
      else socket.destroy();
      resolve();
    };
    const timer = setTimeout(end, random.integer(LINGER_MS));
    signal.addEventListener('abort', end);
    socket.on('error', () => undefined);
    socket.on('close', end);
    socket.resume();
    socket.once(isTls ? 'secureConnect' : 'connect', () => {
      const bytes = isHttp2 ? randomConversation(random) : randomRequests(random);
      sendPieces(socket, random.chance(0.3) ? bytes.subarray(0, random.integer(bytes.length)) : bytes, random);
    });
  });
}

function open(
  { host, root, serverName, credentials }: AttackTarget,
  port: number,
  isTls: boolean,
  random: Random,
): Socket {
  const localAddress = `127.0.3.${1 + random.integer(ADDRESSES)}`;
  if (!isTls) return connect({ host, port, localAddress });
  const options = { host, port, localAddress, ca: root, servername: serverName, ALPNProtocols: ['h2'] };
  if (random.chance(0.5)) return connectTls(options);
  return connectTls({ ...options, cert: credentials.certificate, key: credentials.key });
}

/** At once, or in a few pieces of which each is a packet. */
function sendPieces(socket: Socket, bytes: Buffer, random: Random): void {
  if (socket.destroyed || bytes.length === 0) return;
  const length = random.chance(0.5) ? bytes.length : 1 + random.integer(bytes.length);
  socket.write(bytes.subarray(0, length), () => setImmediate(sendPieces, socket, bytes.subarray(length), random));
}
