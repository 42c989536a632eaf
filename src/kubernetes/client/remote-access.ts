import { Agent, type RequestOptions } from 'node:https';
import type { ClusterAccess } from './cluster-access.js';
import type { RemoteKubeconfig } from './remote-kubeconfig.js';

/** Access to a cluster by a kubeconfig that came over the network. It reads no file and runs no program. */
export function createRemoteAccess({ server, ca, serverName, credentials }: RemoteKubeconfig): ClusterAccess {
  const agent = new Agent({
    keepAlive: true,
    // Set here, so that NODE_TLS_REJECT_UNAUTHORIZED cannot turn it off.
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
