import { errorText } from '../base/error-text.js';
import { createApiClient } from '../kubernetes/client/api-client.js';
import {
  type ClusterAccess,
  type ClusterAccessOptions,
  loadClusterAccess,
} from '../kubernetes/client/cluster-access.js';
import { openPortForward } from '../kubernetes/client/port-forward.js';
import { type DiscoveryPod, findDiscoveryPods } from './discovery-pods.js';
import type { PageServer, PageServers } from './page-server.js';
import { sendPageRequest } from './send-page-request.js';
import { UnreachableError } from './unreachable-error.js';

/** The place of the servers that a command asks. */
export type ServerPlace =
  /** `host:port` of the monitoring port. */
  | { readonly type: 'address'; readonly address: string }
  /** All replicas of the control plane in a namespace of a cluster. */
  | { readonly type: 'cluster'; readonly access: ClusterAccessOptions; readonly namespace: string };

const USER_AGENT = 'navigator-discovery';

/**
 * Finds the servers of a place. Servers in a cluster are reached through the API server, so that no port of the cluster
 * has to be open; the user needs the rights to list pods, and to get and create `pods/portforward`.
 *
 * @throws UnreachableError if there is no server, or the cluster does not answer
 */
export async function openServers(place: ServerPlace): Promise<PageServers> {
  if (place.type === 'address') return { servers: [serverAt(place.address)], close: () => undefined };
  const access = await openCluster(place.access);
  try {
    const { servers } = await serversIn(access, place.namespace);
    return { servers, close: access.close };
  } catch (error) {
    access.close();
    throw error;
  }
}

/** The replicas in a namespace of an open cluster, and their service account. @throws UnreachableError */
export async function serversIn(
  access: ClusterAccess,
  namespace: string,
): Promise<{ readonly servers: readonly PageServer[]; readonly serviceAccount: string }> {
  const pods = await findDiscoveryPods(createApiClient(access, USER_AGENT), namespace);
  return { servers: pods.map((pod) => serverInPod(access, pod)), serviceAccount: pods[0]?.serviceAccount ?? 'default' };
}

/** @throws UnreachableError if the kubeconfig cannot be used */
export async function openCluster(options: ClusterAccessOptions): Promise<ClusterAccess> {
  try {
    return await loadClusterAccess(options);
  } catch (cause) {
    throw new UnreachableError(textOf(cause), { cause });
  }
}

function serverAt(address: string): PageServer {
  return {
    name: address,
    send: async (request) => {
      try {
        return await sendPageRequest(address, request);
      } catch (cause) {
        const remedy =
          'start the server, or name another one with --address, or its cluster with --kubeconfig or --cluster';
        const problem = `${request.method} http://${address}${request.path} failed: ${textOf(cause)}`;
        throw new UnreachableError(`${problem}; ${remedy}`, { cause });
      }
    },
  };
}

function serverInPod(access: ClusterAccess, pod: DiscoveryPod): PageServer {
  return {
    name: pod.pod,
    send: async (request) => {
      try {
        const connection = await openPortForward(access, pod);
        // The pages answer only callers that use a loopback name.
        return await sendPageRequest(`localhost:${pod.port}`, request, connection);
      } catch (cause) {
        const problem = `port ${pod.port} of pod ${pod.namespace}/${pod.pod} cannot be reached through ${access.server}: ${textOf(cause)}`;
        throw new UnreachableError(
          `${problem}; you need the rights "get" and "create" of pods/portforward in namespace ${pod.namespace}`,
          {
            cause,
          },
        );
      }
    },
  };
}

function textOf(error: unknown): string {
  const message = errorText(error);
  // Node.js gives errors of several addresses no message of their own.
  return error instanceof AggregateError && message === '' ? error.errors.map(textOf).join(', ') : message;
}
