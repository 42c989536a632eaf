import type { TransportConfig } from '../../../../src/config/policy/transport-config.js';
import {
  checkRequestBytes,
  httpCheck,
  httpConfigText,
  readCheckResponse,
} from '../../../policy/server/policy-server-rig.js';
import type { AttackTarget } from '../attack.js';
import type { ProbeUser } from '../probe.js';
import { callUnary, type Http2Address, openHttp2 } from '../raw-http2.js';
import type { SidecarCredentials } from './ads-user.js';

const CHECK = '/envoy.service.auth.v3.Authorization/Check';

/**
 * With this policy, a shed Check is a denial. Checks of a legitimate user must not be shed, however many the attackers
 * send.
 */
const CLOSED: TransportConfig = {
  disableCheckCache: false,
  disableQuotaCache: false,
  disableReportBatch: false,
  networkFailPolicy: { policy: 'FAIL_CLOSE', maxRetry: 0, baseRetryWait: '80ms', maxRetryWait: '1s' },
  statsUpdateInterval: '10s',
  checkCluster: 'policy_server',
  reportCluster: 'policy_server',
  reportBatchMaxEntries: 0,
  reportBatchMaxTime: '0s',
};

/** The sidecar of `books`, which asks the policy server about one request after another, all with one API key. */
export function createCheckUser(
  { host, ports, root, serverName }: AttackTarget,
  { certificate, key }: SidecarCredentials,
  service: string,
): ProbeUser {
  const tls = { ca: root, servername: serverName, cert: certificate, key };
  const address: Http2Address = { host, port: ports.policy, from: '127.0.0.4', tls };
  let session = openHttp2(address);
  const headers = { 'x-mesh-service': service, 'x-mesh-client-config': httpConfigText({ transport: CLOSED }) };
  let id = BigInt(Date.now()) << 20n;
  return {
    name: 'policy check',
    act: async () => {
      if (session.destroyed || session.closed) session = openHttp2(address);
      const bytes = checkRequestBytes(httpCheck({ id: String(++id), host: service }));
      const { status } = readCheckResponse(await callUnary(session, CHECK, bytes, headers));
      if (status.code !== 0) throw new Error(`the check was denied: ${status.message}`);
    },
    close: () => session.destroy(),
  };
}
