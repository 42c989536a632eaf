import { connect } from 'node:tls';
import { createCertificateRequest } from '../../../../bench/ca/certificate-request.js';
import { openUnaryConnection, prepareCall, type UnaryConnection } from '../../../../bench/load/unary-connection.js';
import type { Attack, AttackTarget } from '../attack.js';

const PATH = '/mesh.ca.v1.MeshCertificateService/CreateCertificate';
const CALLS_AT_ONCE = 100;
const CONNECTIONS = 4;
const SECONDS = 10;
const TICK_MS = 10;
const TIMEOUT_MS = 10_000;
/** Number and type of the field `csr`: a text. */
const CSR_TAG = 0x0a;

/** Requests for certificates without a pause, from one workload with a certificate: more than can be signed. */
export const attack: Attack = {
  title: `${CALLS_AT_ONCE} concurrent calls of CreateCertificate by one workload`,
  async run(target, scale, signal) {
    const call = prepareCall(PATH, requestBytes(await createCertificateRequest()));
    const connections = Array.from({ length: CONNECTIONS }, () => open(target));
    const counts = { signed: 0, refused: 0 };
    const latencies: number[] = [];
    const end = performance.now() + SECONDS * 1000;
    while (performance.now() < end && !signal.aborted) {
      for (const connection of connections) {
        connection.expire(performance.now() - TIMEOUT_MS);
        while (connection.inFlight < (CALLS_AT_ONCE * scale) / CONNECTIONS) {
          const sent = performance.now();
          connection.send(call, ({ type }) => {
            if (type !== 'answered') counts.refused++;
            else {
              counts.signed++;
              latencies.push(performance.now() - sent);
            }
          });
        }
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    for (const connection of connections) connection.close();
    const median = latencies.sort((a, b) => a - b)[latencies.length >> 1] ?? Number.NaN;
    return `${counts.signed} signed, half of them within ${Math.round(median)} ms; ${counts.refused} refused or given up`;
  },
};

function requestBytes(csr: string): Buffer {
  const text = Buffer.from(csr);
  // Two bytes of length: a request by an elliptic curve's key has some 400 characters.
  return Buffer.concat([Buffer.from([CSR_TAG, (text.length & 127) | 128, text.length >> 7]), text]);
}

function open({ host, ports, root, serverName, credentials }: AttackTarget): UnaryConnection {
  const { certificate: cert, key } = credentials;
  const options = { ca: root, servername: serverName, cert, key, ALPNProtocols: ['h2'], localAddress: '127.0.0.20' };
  return openUnaryConnection(connect({ host, port: ports.secureGrpc, ...options }), () => performance.now());
}
