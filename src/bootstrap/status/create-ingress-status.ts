import { isRecord } from '../../base/record.js';
import { INGRESS_GROUP } from '../../config/kind-definition.js';
import { createLeaderElection } from '../../kubernetes/election/leader-election.js';
import type { ListWatcher } from '../../kubernetes/watch/list-watcher.js';
import { ingressAddresses } from '../../model/derived/ingress/ingress-addresses.js';
import { createApiStatusLoop, type WantedStatus } from '../../status/kubernetes/api-status-loop.js';
import { createApiStatusObjects } from '../../status/kubernetes/api-status-objects.js';
import type { Cluster } from '../cluster-connection.js';
import { statusSettings, storeSettings } from '../map-options.js';
import type { Options } from '../options.js';
import type { GatewayStatusRuntime, GatewayStatusSources } from './create-gateway-status.js';

/** See docs/reference/sources.md#leader-locks. */
const LEASE = 'mesh-leader';

/**
 * Writes the addresses of gateways into Ingresses (docs/ingress.md#status). It takes part in the election of the leader from
 * the first Ingress on: a mesh without any needs neither the Lease nor the right. Undefined where Ingresses are not read
 * from a cluster.
 */
export function openIngressStatus(options: Options, sources: GatewayStatusSources): GatewayStatusRuntime | undefined {
  const { cluster, kinds, identity, context, clock } = sources;
  if (cluster === undefined || options.discovery.configDir !== '') return undefined;
  const settings = statusSettings(options);
  const logger = sources.logging.scope('status');
  const definition = kinds.definitions.find(({ group, kind }) => group === INGRESS_GROUP && kind === 'Ingress');
  let changed = (): void => undefined;
  let end = async (): Promise<void> => undefined;
  let opened: Cluster | undefined;
  let isRunning = false;
  let isStopped = false;

  const wanted = (): readonly WantedStatus[] => {
    const present = context();
    if (present === undefined) return [];
    return ingressAddresses(present, storeSettings(options)).map(({ key, desired }) => ({
      key,
      desired: (status) => {
        const addresses = desired(presentAddresses(status));
        if (addresses === undefined) return undefined;
        return { loadBalancer: { ingress: addresses.length === 0 ? null : addresses } };
      },
    }));
  };

  const run = ({ send, createWatcher }: Cluster): (() => Promise<void>) => {
    const objects = createApiStatusObjects(() => loop.changed());
    const common = { send, clock, logger, random: Math.random };
    const loop = createApiStatusLoop({ ...common, ...settings, objects, wanted });
    let watcher: ListWatcher | undefined;
    const begin = (): void => {
      if (definition === undefined) return;
      watcher = createWatcher(logger);
      const scopes = settings.appNamespaces.length > 0 ? settings.appNamespaces : [''];
      for (const namespace of new Set(scopes)) {
        watcher.watch({ definition, namespace, sink: objects.sink(definition) });
      }
      loop.start();
    };
    const cease = async (): Promise<void> => {
      await loop.stop();
      await watcher?.stop();
      watcher = undefined;
      objects.clear();
    };
    /** Changes of the lead are handled one after the other. */
    let turn: Promise<void> = Promise.resolve();
    const election = createLeaderElection({
      ...common,
      identity,
      lease: { namespace: settings.namespace, name: LEASE },
      ...(settings.election === undefined ? {} : { timing: settings.election }),
      onChange: (isLeader) => {
        turn = turn.then(() => (isLeader ? begin() : cease()));
      },
    });
    changed = loop.changed;
    election.start();
    return async () => {
      changed = () => undefined;
      await turn;
      await cease();
      await election.stop();
      await turn;
    };
  };

  const look = (): void => {
    if (opened === undefined || isStopped) return;
    if (!isRunning && (context()?.objects.get('Ingress')?.size ?? 0) > 0) {
      isRunning = true;
      end = run(opened);
    }
    changed();
  };

  return {
    start: async () => {
      opened = await cluster.open();
      look();
    },
    observe: look,
    stop: async () => {
      isStopped = true;
      await end();
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
