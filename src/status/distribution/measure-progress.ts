import { traitsOf } from '../../config/kind-traits.js';
import type { MeshObject, ObjectKey } from '../../config/object.js';
import { isRuleKind } from '../../config/policy-rules/kind-names.js';
import { checkServerOf } from '../../model/policy/policy-servers.js';
import type { ProxyType } from '../../model/proxy.js';
import type { ProxyConnection, WatchSnapshot } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import { MESH_CONFIG_KEY } from '../../model/push-request.js';
import type { Rejection } from '../conditions/object-facts.js';
import type { PolicyConcerns } from './concerned-policies.js';
import { type ConnectedClient, connectedClients } from './connected-clients.js';
import type { InstanceProgress, ObjectProgress } from './instance-progress.js';
import type { ConfigHistory } from './local-progress.js';

export interface ProgressInput {
  readonly context: PushContext;
  /** Version of the snapshot in the ledger. */
  readonly configVersion: string;
  readonly connections: readonly ProxyConnection[];
  readonly history: ConfigHistory;
  readonly concerns: PolicyConcerns;
  /** Kinds whose objects have a status. */
  readonly kinds: readonly string[];
  /** Whether a change of the object can change the resources of this type for such a proxy. */
  affects(key: ObjectKey, typeUrl: string, proxyType: ProxyType): boolean;
  /** The rejections that an object caused. */
  rejectionsOf(key: ObjectKey): readonly Rejection[];
}

const NOTHING: ReadonlySet<ObjectKey> = new Set();

interface Tally {
  proxies: number;
  behind: number;
}

/**
 * The distribution of each object at this instance. Which proxies count (docs/status.md#which-proxies-count):
 *
 * - The sidecars that check because of a policy need the policy. They have it when they have acknowledged every change
 *   of it, and of the bindings of a spec. Proxies get only bindings: a spec is in force as soon as this instance, whose
 *   policy server answers them, has read it.
 * - `navigator-policy` processes count too, if the mesh config names one.
 * - Rules count the policy server of each instance that asks none elsewhere.
 * - Every proxy needs all other objects.
 */
export function measureProgress(input: ProgressInput): InstanceProgress {
  const { context, connections, kinds } = input;
  const clients = connectedClients(connections);
  const proxies = clients.filter(({ isPolicyServer }) => !isPolicyServer);
  const server = checkServerOf(context.mesh)?.type;
  const isEmbedded = server === 'embedded';
  const policyServers = server === 'address' ? clients.filter(({ isPolicyServer }) => isPolicyServer) : [];
  const missingAt = createMissing(input);

  const policyTallies = tallyConcerned(proxies, missingAt, input.concerns);
  const behindProxies = tallyBehind(proxies, missingAt);
  const behindServers = tallyBehind(policyServers, missingAt);
  const withoutRules = policyServers.filter(({ readsRules }) => !readsRules).length;

  const objects = new Map<ObjectKey, ObjectProgress>();
  for (const kind of kinds) {
    const { isPolicy } = traitsOf(kind);
    for (const [key, object] of context.objects.get(kind) ?? []) {
      const tally = isPolicy
        ? (policyTallies.get(key) ?? { proxies: 0, behind: 0 })
        : { proxies: proxies.length, behind: behindProxies.get(key) ?? 0 };
      const isRule = isRuleKind(kind);
      const servers = isPolicy ? policyServers.length : 0;
      const behind = isPolicy ? (behindServers.get(key) ?? 0) + (isRule ? withoutRules : 0) : 0;
      // The server in this process has each rule of its snapshot.
      const own = isEmbedded && isRule ? 1 : 0;
      objects.set(key, {
        version: versionOf(object),
        proxies: tally.proxies,
        ackedProxies: tally.proxies - tally.behind,
        policyServers: servers + own,
        ackedPolicyServers: own + servers - behind,
        rejections: input.rejectionsOf(key),
      });
    }
  }
  const { disablePolicyChecks } = context.mesh.policy;
  const settled = disablePolicyChecks || checkServerOf(context.mesh) === undefined ? 'off' : 'on';
  const checks = (behindProxies.get(MESH_CONFIG_KEY) ?? 0) > 0 ? 'changing' : settled;
  return { proxies: proxies.length, policyServers: policyServers.length, objects, checks };
}

/** Equal at all instances. Resource versions differ after writes of fields that the control plane does not read. */
function versionOf({ metadata: { generation, resourceVersion } }: MeshObject): string {
  return generation === undefined ? resourceVersion : String(generation);
}

type Missing = (client: ConnectedClient) => ReadonlySet<ObjectKey>;

/** The objects that a client has not acknowledged yet; clients at the same versions share one set. */
function createMissing({ context, configVersion, history, concerns, kinds, affects }: ProgressInput): Missing {
  const byWatch = new Map<string, ReadonlySet<ObjectKey>>();
  const byWatches = new Map<string, ReadonlySet<ObjectKey>>();

  const everything = (): Iterable<ObjectKey> => [
    MESH_CONFIG_KEY,
    ...kinds.flatMap((kind) => [...(context.objects.get(kind)?.keys() ?? [])]),
  ];

  const ofWatch = ({ typeUrl, ackedConfigVersion }: WatchSnapshot, type: ProxyType): ReadonlySet<ObjectKey> => {
    const id = `${typeUrl} ${type} ${ackedConfigVersion}`;
    const known = byWatch.get(id);
    if (known !== undefined) return known;
    const changed = ackedConfigVersion === '' ? undefined : history.changedSince(ackedConfigVersion);
    const missing = new Set<ObjectKey>();
    for (const key of changed ?? everything()) {
      if (!affects(key, typeUrl, type)) continue;
      missing.add(key);
      // A spec has no effect without its binding.
      for (const spec of concerns.specsOf(key)) missing.add(spec);
    }
    byWatch.set(id, missing);
    return missing;
  };

  return ({ proxy: { type }, watches }) => {
    const late = watches.filter(({ ackedConfigVersion }) => ackedConfigVersion !== configVersion);
    if (late.length === 0) return NOTHING;
    const id = `${type} ${late.map(({ typeUrl, ackedConfigVersion }) => `${typeUrl} ${ackedConfigVersion}`).join(' ')}`;
    const missing = byWatches.get(id) ?? new Set(late.flatMap((watch) => [...ofWatch(watch, type)]));
    byWatches.set(id, missing);
    return missing;
  };
}

/** Counts clients in groups with equal needs: workloads of one deployment are alike. */
function tallyConcerned(
  proxies: readonly ConnectedClient[],
  missingAt: Missing,
  concerns: PolicyConcerns,
): ReadonlyMap<ObjectKey, Tally> {
  const groups = new Map<ReadonlySet<ObjectKey>, Map<ReadonlySet<ObjectKey>, number>>();
  for (const client of proxies) {
    const concerning = concerns.concerning(client.proxy);
    if (concerning.size === 0) continue;
    const group = groups.get(concerning) ?? new Map<ReadonlySet<ObjectKey>, number>();
    const missing = missingAt(client);
    group.set(missing, (group.get(missing) ?? 0) + 1);
    groups.set(concerning, group);
  }
  const tallies = new Map<ObjectKey, Tally>();
  for (const [concerning, group] of groups) {
    for (const key of concerning) {
      const tally = tallies.get(key) ?? { proxies: 0, behind: 0 };
      for (const [missing, clients] of group) {
        tally.proxies += clients;
        if (missing.has(key)) tally.behind += clients;
      }
      tallies.set(key, tally);
    }
  }
  return tallies;
}

function tallyBehind(clients: readonly ConnectedClient[], missingAt: Missing): ReadonlyMap<ObjectKey, number> {
  const bySet = new Map<ReadonlySet<ObjectKey>, number>();
  for (const client of clients) {
    const missing = missingAt(client);
    bySet.set(missing, (bySet.get(missing) ?? 0) + 1);
  }
  const behind = new Map<ObjectKey, number>();
  for (const [missing, count] of bySet) for (const key of missing) behind.set(key, (behind.get(key) ?? 0) + count);
  return behind;
}
