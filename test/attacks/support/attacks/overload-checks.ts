import { connect } from 'node:tls';
import { openUnaryConnection, prepareCall, type UnaryConnection } from '../../../../bench/load/unary-connection.js';
import { checkRequestBytes, httpCheck } from '../../../policy/server/policy-server-rig.js';
import type { Attack, AttackTarget } from '../attack.js';
import { outboundConfigText } from '../outbound-config.js';
import { BOOKS } from '../tenants.js';

const PER_SECOND = 10_000;
const SECONDS = 10;
const CONNECTIONS = 4;
/** On all connections, for each unit of the scale. */
const MAX_IN_FLIGHT = 64;
const TICK_MS = 10;
const NUMBER = '1234567890123456';

/** More Checks than a policy server can decide, from one workload with a certificate, each of which is answered. */
export const attack: Attack = {
  title: `${PER_SECOND} Checks a second of one workload`,
  async run(target, scale, signal) {
    const bytes = checkRequestBytes(httpCheck({ id: NUMBER, host: BOOKS }));
    const call = prepareCall(
      '/envoy.service.auth.v3.Authorization/Check',
      bytes,
      { 'x-mesh-service': BOOKS, 'x-mesh-client-config': outboundConfigText('attackers') },
      NUMBER,
    );
    const connections = Array.from({ length: CONNECTIONS * scale }, () => open(target));
    const counts = { decided: 0, shed: 0, failed: 0, held: 0 };
    const end = performance.now() + SECONDS * 1000;
    while (performance.now() < end && !signal.aborted) {
      for (let index = 0; index < (PER_SECOND * scale * TICK_MS) / 1000; index++) {
        const connection = connections[index % connections.length];
        if (connection === undefined || connection.inFlight >= MAX_IN_FLIGHT / CONNECTIONS) {
          counts.held++;
          continue;
        }
        connection.send(call, (outcome) => {
          if (outcome.type !== 'answered') counts.failed++;
          else if (outcome.message.includes('overloaded')) counts.shed++;
          else counts.decided++;
        });
      }
      await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    }
    for (const connection of connections) connection.close();
    return `${counts.decided} decided, ${counts.shed} shed, ${counts.failed} failed, ${counts.held} not sent`;
  },
};

function open({ host, ports, root, serverName, credentials }: AttackTarget): UnaryConnection {
  const { certificate: cert, key } = credentials;
  const options = { ca: root, servername: serverName, cert, key, ALPNProtocols: ['h2'], localAddress: '127.0.0.20' };
  return openUnaryConnection(connect({ host, port: ports.policy, ...options }), () => performance.now());
}
