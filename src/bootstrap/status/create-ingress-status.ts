import { isRecord } from '../../base/record.js';
import { INGRESS_GROUP } from '../../config/kind-definition.js';
import { ingressAddresses } from '../../model/derived/ingress/ingress-addresses.js';
import type { PushContext } from '../../model/push-context.js';
import type { WantedStatus } from '../../status/kubernetes/api-status-loop.js';
import type { Cluster } from '../cluster-connection.js';
import { statusSettings, storeSettings } from '../map-options.js';
import type { Options } from '../options.js';
import {
  type ApiStatusRuntime,
  type ApiStatusSources,
  type ApiStatusWork,
  startApiStatusWork,
} from './api-status-work.js';

/** See docs/reference/sources.md#leader-locks. */
const LEASE = 'mesh-leader';

/**
 * Writes the addresses of gateways into Ingresses (docs/ingress.md#status). It takes part in the election of the leader from
 * the first Ingress on: a mesh without any needs neither the Lease nor the right. Undefined where Ingresses are not read
 * from a cluster.
 */
export function openIngressStatus(options: Options, sources: ApiStatusSources): ApiStatusRuntime | undefined {
  const { cluster, kinds, identity, context, clock } = sources;
  if (cluster === undefined || options.discovery.configDir !== '') return undefined;
  const settings = statusSettings(options);
  const derivedSettings = storeSettings(options);
  const logger = sources.logging.scope('status');
  let work: ApiStatusWork | undefined;
  let opened: Cluster | undefined;
  let isStopped = false;

  const wanted = (): readonly WantedStatus[] => {
    const present = context();
    if (present === undefined) return [];
    return ingressAddresses(present, derivedSettings).map(({ key, desired }) => ({
      key,
      desired: (status) => {
        const addresses = desired(presentAddresses(status));
        if (addresses === undefined) return undefined;
        return { loadBalancer: { ingress: addresses.length === 0 ? null : addresses } };
      },
    }));
  };

  const run = (target: Cluster): ApiStatusWork =>
    startApiStatusWork({
      ...{ cluster: target, settings, identity, wanted, clock, logger },
      lease: LEASE,
      definitions: kinds.definitions.filter(({ group, kind }) => group === INGRESS_GROUP && kind === 'Ingress'),
    });

  /** @param present the newest snapshot, which observers get before `context` does */
  const look = (present: PushContext | undefined): void => {
    if (opened === undefined || isStopped) return;
    if (work === undefined && (present?.objects.get('Ingress')?.size ?? 0) > 0) work = run(opened);
    work?.changed();
  };

  return {
    start: async () => {
      opened = await cluster.open();
      look(context());
    },
    observe: look,
    stop: async () => {
      isStopped = true;
      await work?.stop();
    },
  };
}

function presentAddresses({ loadBalancer }: Readonly<Record<string, unknown>>): readonly unknown[] {
  const addresses = isRecord(loadBalancer) ? loadBalancer['ingress'] : undefined;
  // The API server adds fields such as ipMode.
  return Array.isArray(addresses)
    ? addresses.map(({ ip, hostname }) => ({ ...(ip && { ip }), ...(hostname && { hostname }) }))
    : [];
}
