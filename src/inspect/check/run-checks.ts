import { createKindRegistry } from '../../config/kinds.js';
import { createApiSender } from '../../kubernetes/client/api-sender.js';
import { openCluster, openServers, type ServerPlace, serversIn } from '../open-servers.js';
import { UnreachableError } from '../unreachable-error.js';
import { checkCluster } from './check-cluster.js';
import type { CheckResult } from './check-result.js';
import { checkServers } from './check-server.js';

const TIMEOUT_MS = 15_000;

export interface CheckSettings {
  readonly meshDomain: string;
  /** Names of the webhook configurations. */
  readonly webhooks: { readonly validating: string; readonly mutating: string };
}

/**
 * Checks one server, or a cluster with all of its replicas. A cluster without a running control plane is checked too.
 *
 * @throws UnreachableError if nothing can be asked
 */
export async function runChecks(place: ServerPlace, settings: CheckSettings): Promise<readonly CheckResult[]> {
  const now = () => new Date();
  if (place.type === 'address') {
    const { servers, close } = await openServers(place);
    await servers[0]?.send({ method: 'GET', path: '/ready' });
    return await checkServers(servers, now).finally(close);
  }
  const access = await openCluster(place.access);
  try {
    const { servers, serviceAccount } = await serversIn(access, place.namespace);
    const send = createApiSender(access, { userAgent: 'navigator-discovery', timeoutMs: TIMEOUT_MS });
    const kinds = createKindRegistry(settings.meshDomain);
    const { namespace } = place;
    const ofCluster = await checkCluster(
      { send, name: access.server, kinds, namespace, serviceAccount, webhooks: settings.webhooks },
      now(),
    );
    const ofServers = await checkServers(servers, now);
    if (ofCluster.every(({ level }) => level === 'skipped') && ofServers.every(({ level }) => level === 'skipped')) {
      throw new UnreachableError(`no check of ${access.server} could be made: ${ofCluster[0]?.message ?? ''}`);
    }
    return [...ofCluster, ...ofServers];
  } finally {
    access.close();
  }
}
