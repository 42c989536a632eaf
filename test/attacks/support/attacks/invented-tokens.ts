import { randomBytes } from 'node:crypto';
import type { Attack } from '../attack.js';
import { openGrpcCall, openHttp2 } from '../raw-http2.js';

const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';
const CREATE_CERTIFICATE = '/mesh.ca.v1.MeshCertificateService/CreateCertificate';
const CONNECTIONS = 20;
const CALLS_OF_EACH = 20;

/** Calls with tokens that look like those of service accounts, so only an API server can reject them. */
export const attack: Attack = {
  title: `${CONNECTIONS * CALLS_OF_EACH} calls at a time with invented tokens, from one address`,
  async run({ host, ports, root, serverName }, scale, signal) {
    let [calls, answers] = [0, 0];
    const endMs = performance.now() + (this.durationMs ?? 10_000);
    const isOver = (): boolean => signal.aborted || performance.now() > endMs;

    const callAgainAndAgain = async (connection: Connection): Promise<void> => {
      while (!isOver()) {
        calls++;
        const path = calls % 2 === 0 ? ADS : CREATE_CERTIFICATE;
        const isAnswered = await connection.call(path, inventToken());
        if (isAnswered) answers++;
        else await new Promise((resolve) => setTimeout(resolve, 50));
      }
    };
    const connections = Array.from({ length: CONNECTIONS * scale }, () =>
      createConnection(() =>
        openHttp2({ host, port: ports.secureGrpc, from: '127.0.0.9', tls: { ca: root, servername: serverName } }),
      ),
    );
    const over = setTimeout(() => {
      for (const connection of connections) connection.close();
    }, endMs - performance.now());
    signal.addEventListener('abort', () => {
      for (const connection of connections) connection.close();
    });
    await Promise.all(
      connections.flatMap((connection) => Array.from({ length: CALLS_OF_EACH }, () => callAgainAndAgain(connection))),
    );
    clearTimeout(over);
    return `${calls} calls over ${connections.length} connections, ${answers} answered`;
  },
};

interface Connection {
  /** @returns whether the server answered before the connection ended */
  call(path: string, token: string): Promise<boolean>;
  close(): void;
}

/** A connection that is opened again whenever the server has closed it. */
function createConnection(open: () => ReturnType<typeof openHttp2>): Connection {
  let session = open();
  return {
    call: (path, token) =>
      new Promise((resolve) => {
        if (session.closed || session.destroyed) session = open();
        let isAnswered = false;
        const stream = openGrpcCall(session, path, { authorization: `Bearer ${token}` });
        stream.on('response', () => {
          isAnswered = true;
        });
        stream.on('close', () => resolve(isAnswered));
        stream.resume();
        stream.end();
      }),
    close: () => session.destroy(),
  };
}

function inventToken(): string {
  const part = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = {
    iss: 'https://kubernetes.default.svc',
    aud: ['mesh-ca'],
    sub: 'system:serviceaccount:shop:books',
    exp: Math.floor(Date.now() / 1000) + 3600,
    jti: randomBytes(16).toString('hex'),
  };
  return `${part({ alg: 'RS256', kid: 'k' })}.${part(claims)}.${randomBytes(256).toString('base64url')}`;
}
