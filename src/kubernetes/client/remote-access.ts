import { Agent, type RequestOptions } from 'node:https';
import type { ClusterAccess } from './cluster-access.js';
import type { RemoteKubeconfig } from './remote-kubeconfig.js';

/** Access to a cluster as a kubeconfig describes it that came over the network; nothing is read or run for it. */
export function createRemoteAccess({ server, ca, serverName, credentials }: RemoteKubeconfig): ClusterAccess {
  const agent = new Agent({
    keepAlive: true,
    // Not left to NODE_TLS_REJECT_UNAUTHORIZED.
    rejectUnauthorized: true,
    ...(ca === undefined ? {} : { ca }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(credentials.type === 'certificate' ? { cert: credentials.certificate, key: credentials.key } : {}),
  });
  const headers = credentials.type === 'token' ? { authorization: `Bearer ${credentials.token}` } : {};
  const options: RequestOptions = { agent, headers };
  return {
    server,
    requestOptions: () => Promise.resolve(options),
    close: () => agent.destroy(),
  };
}
