import { traitsOf } from '../../config/kind-traits.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MeshNetworks } from '../../config/mesh/mesh-networks.js';
import { keyOf, type MeshObject, type ObjectKey, objectKey } from '../../config/object.js';
import type { DerivationProblem, DerivedFamily } from '../derived/derivation.js';
import { DerivedObjects } from '../derived/derived-objects.js';
import { createDerivedFamilies } from '../derived/families.js';
import type { EntryGuard } from '../entries/entry-guard.js';
import { createMemo } from '../memo.js';
import type { ChangeBatch, ObjectChange } from '../object-change.js';
import { GrantTable } from '../policy/binding-grants.js';
import { NO_QUOTA_SHAPES, type QuotaShapes } from '../policy/fast/quota-shapes.js';
import { type ApiKeySecrets, NO_API_KEY_SECRETS } from '../policy/plans/api-key-secrets.js';
import { consumersOfSecrets } from '../policy/plans/consumer-secrets.js';
import { ClusterRegistry } from '../registry/cluster-registry.js';
import { createNetworkLookup } from '../registry/network-lookup.js';
import type { Translation } from '../registry/translation.js';
import { type KeySets, NO_KEY_SETS } from '../security/key-sets.js';
import { createClusterViews } from '../snapshot/cluster-views.js';
import { applyDerived } from './apply-derived.js';
import { ChangeLog, type StoreChange } from './change-log.js';
import { EntryTable } from './entry-table.js';
import { FastQuotaTable } from './fast-quota-table.js';
import type { MeshState } from './mesh-state.js';
import type { MeshStoreSettings } from './mesh-store-settings.js';
import { createObjectIndexer, type ObjectIndexes } from './object-indexes.js';
import { ObjectTable } from './object-table.js';
import { isSameObject, isSameVersion } from './same-object.js';
import { ServiceDirectory } from './service-directory.js';

/**
 * The only mutable part of the model: it takes change batches and returns immutable states
 * (docs/architecture.md#how-a-change-reaches-a-proxy).
 */
export interface MeshStore {
  /** Applies one batch as a whole. Objects of a known version change nothing. */
  apply(batch: ChangeBatch): StoreChange;
  setMesh(mesh: MeshConfig): StoreChange;
  setNetworks(networks: MeshNetworks): StoreChange;
  /** @param changed ids of the sources whose keys differ from those before */
  setKeySets(keySets: KeySets, changed: ReadonlySet<string>): StoreChange;
  /** Takes the forms of the policy server's limits. */
  setQuotaShapes(shapes: QuotaShapes): StoreChange;
  /** @param changed names of the Secrets whose keys differ from those before */
  setApiKeySecrets(secrets: ApiKeySecrets, changed: ReadonlySet<string>): StoreChange;
  /** The facts that decide which namespaces ServiceEntries affect, current at each call. */
  entryGuard(): EntryGuard;
  /** The current content. Costs the changes since the last call; later changes do not affect the result. */
  state(): MeshState;
}

export interface MeshDocuments {
  readonly mesh: MeshConfig;
  readonly networks: MeshNetworks;
}

interface Cluster {
  readonly registry: ClusterRegistry;
  translation: Translation;
}

/** One batch on its way into the stores. */
interface Step {
  readonly cluster: string;
  /** Whether the next object is the known one. */
  readonly isSame: (known: MeshObject, next: MeshObject) => boolean;
  /** Keys of Services and ServiceEntries that have to be translated again. */
  readonly dirty: Set<string>;
  readonly log: ChangeLog;
}

/** @param families make objects from others. Default: all */
export function createMeshStore(
  settings: MeshStoreSettings,
  initial: MeshDocuments,
  families: readonly DerivedFamily[] = createDerivedFamilies(settings),
): MeshStore {
  let { mesh, networks } = initial;
  const objects = new ObjectTable(settings.clusterId);
  const directory = new ServiceDirectory(settings.clusterId);
  const entries = new EntryTable(settings.domain, mesh);
  const grants = new GrantTable(settings.meshDomain);
  const indexesOf = createObjectIndexer(settings);
  const joinProblems = createProblemsJoiner();
  const derived = new DerivedObjects(families, settings.meshDomain);
  const fastQuotas = new FastQuotaTable();
  let keySets = NO_KEY_SETS;
  let quotaShapes = NO_QUOTA_SHAPES;
  let apiKeySecrets = NO_API_KEY_SECRETS;
  const clusters = new Map<string, Cluster>();
  const clusterViews = createClusterViews(settings.clusterId);
  const revisionLabel = `${settings.meshDomain}/rev`;

  const translationOf = (cluster: string): Translation => ({
    cluster,
    domain: settings.domain,
    meshDomain: settings.meshDomain,
    trustDomain: settings.trustDomain === '' ? mesh.trustDomain : settings.trustDomain,
    defaultServiceExportTo: mesh.defaultServiceExportTo.length === 0 ? ['*'] : mesh.defaultServiceExportTo,
    edsForHeadlessServices: settings.edsForHeadlessServices,
    networkOf: createNetworkLookup(networks, cluster),
    rootNamespace: mesh.rootNamespace,
    offencesOf: (entry) => entries.judge(cluster, entry),
  });

  const indexes = (): ObjectIndexes => indexesOf({ objects: objects.snapshot(), mesh });

  const clusterOf = (name: string): Cluster => {
    let cluster = clusters.get(name);
    if (cluster === undefined) {
      cluster = { registry: new ClusterRegistry(settings), translation: translationOf(name) };
      clusters.set(name, cluster);
    }
    return cluster;
  };

  const translate = (name: string, { registry, translation }: Cluster, serviceKeys: Iterable<string>): void => {
    for (const serviceKey of serviceKeys) {
      directory.replace(`${name}/${serviceKey}`, registry.contributions(serviceKey, translation));
    }
  };

  /** Translates the ServiceEntries of all clusters that a changed Namespace or Service affects. */
  const translateStale = (translated: string, dirty: ReadonlySet<string>): void => {
    for (const { cluster: name, key } of entries.takeStale()) {
      const cluster = clusters.get(name);
      if (cluster !== undefined && !(name === translated && dirty.has(key))) translate(name, cluster, [key]);
    }
  };

  const translateAll = (): StoreChange => {
    for (const [name, cluster] of clusters) {
      cluster.translation = translationOf(name);
      translate(name, cluster, cluster.registry.serviceKeys());
    }
    return new ChangeLog().everything(directory.commit());
  };

  const isOfOtherRevision = ({ kind, metadata }: MeshObject): boolean => {
    if (settings.revision === '' || traitsOf(kind).origin !== 'mesh') return false;
    const revision = metadata.labels[revisionLabel];
    return revision !== undefined && revision !== settings.revision;
  };

  const note = (log: ChangeLog, { kind, metadata: { name } }: MeshObject, key: ObjectKey): void => {
    log.note(kind, key);
    derived.note(kind, key);
    if (kind === 'Namespace' && grants.set(name, objects.shown(kind, key))) log.noteGrants();
  };

  const remove = ({ cluster, dirty, log }: Step, key: string): void => {
    const object = objects.delete(cluster, key);
    if (object === undefined) return;
    clusterOf(cluster).registry.delete(object, dirty);
    entries.delete(cluster, object);
    if (fastQuotas.delete(cluster, key, object)) log.noteFastQuotas();
    note(log, object, key);
  };

  const upsert = (step: Step, object: MeshObject): void => {
    const { cluster, isSame, dirty, log } = step;
    const key = keyOf(object);
    if (isOfOtherRevision(object)) {
      remove(step, key);
      return;
    }
    const known = objects.get(cluster, key);
    if (known !== undefined && isSame(known, object)) return;
    objects.set(cluster, object);
    clusterOf(cluster).registry.set(object, dirty);
    entries.set(cluster, object);
    if (fastQuotas.set(cluster, key, object)) log.noteFastQuotas();
    note(log, object, key);
  };

  const applyChange = (step: Step, change: ObjectChange): void => {
    switch (change.type) {
      case 'upsert':
        upsert(step, change.object);
        break;
      case 'delete':
        remove(step, objectKey(change.kind, change.namespace, change.name));
        break;
    }
  };

  /** Deletes the objects of the cluster that the changes do not name. */
  const removeOthers = (step: Step, changes: readonly ObjectChange[]): void => {
    const named = new Set(changes.flatMap((change) => (change.type === 'upsert' ? keyOf(change.object) : [])));
    for (const key of objects.keysOf(step.cluster)) if (!named.has(key)) remove(step, key);
  };

  /** Removes the registry as a whole instead of each object from it. */
  const removeCluster = ({ cluster, log }: Step): void => {
    for (const key of objects.keysOf(cluster)) {
      const object = objects.delete(cluster, key);
      if (object === undefined) continue;
      entries.delete(cluster, object);
      if (fastQuotas.delete(cluster, key, object)) log.noteFastQuotas();
      note(log, object, key);
    }
    for (const serviceKey of clusters.get(cluster)?.registry.serviceKeys() ?? []) {
      directory.replace(`${cluster}/${serviceKey}`, []);
    }
  };

  return {
    apply: ({ cluster, changes, replacesCluster = false }) => {
      const wasThere = clusters.has(cluster);
      const isSame = replacesCluster ? isSameObject : isSameVersion;
      const step: Step = { cluster, isSame, dirty: new Set(), log: new ChangeLog() };
      if (replacesCluster && changes.length === 0) removeCluster(step);
      else if (replacesCluster) removeOthers(step, changes);
      for (const change of changes) applyChange(step, change);
      applyDerived(derived, objects, mesh, step.log);
      if (step.dirty.size > 0) translate(cluster, clusterOf(cluster), step.dirty);
      translateStale(cluster, step.dirty);
      if (!objects.has(cluster)) clusters.delete(cluster);
      // The cluster of proxies changes when a cluster appears or disappears (`clusterOf`).
      const isMoving = cluster !== settings.clusterId && clusters.has(cluster) !== wasThere;
      return isMoving ? step.log.everything(directory.commit()) : step.log.result(directory.commit());
    },
    setMesh: (next) => {
      mesh = next;
      entries.setMesh(next);
      derived.meshChanged();
      applyDerived(derived, objects, mesh, new ChangeLog());
      return translateAll();
    },
    setNetworks: (next) => {
      networks = next;
      return translateAll();
    },
    setKeySets: (next, changed) => {
      keySets = next;
      const log = new ChangeLog();
      const { keySources } = indexes().requestAuthentications;
      for (const id of changed) for (const { key } of keySources.get(id)?.objects ?? []) log.noteKeys(key);
      return log.result(directory.commit());
    },
    setQuotaShapes: (next) => {
      quotaShapes = next;
      const log = new ChangeLog();
      if (!fastQuotas.isEmpty) log.noteFastQuotas();
      return log.result(directory.commit());
    },
    setApiKeySecrets: (next, changed) => {
      apiKeySecrets = next;
      const log = new ChangeLog();
      for (const key of consumersOfSecrets(objects.snapshot(), changed)) log.noteKeys(key);
      return log.result(directory.commit());
    },
    entryGuard: () => entries.guard,
    state: () => {
      const byKind = indexes();
      return {
        ...byKind,
        mesh,
        networks,
        domain: settings.domain,
        services: directory.hosts.sorted(),
        servicesByHost: directory.hosts.winners,
        shadowedByHost: directory.hosts.shadowed,
        endpoints: directory.endpoints,
        objects: objects.snapshot(),
        entryOffences: entries.offences,
        bindingGrants: grants.grants(mesh),
        keySets,
        quotaShapes,
        apiKeySecrets,
        derivationProblems: joinProblems(derived.problems, byKind.gatewayApi.problems),
        findings: join(directory.findings.list(), byKind.destinationRules.findings),
        views: directory.hosts.views(),
        ownCluster: settings.clusterId,
        clusters: new Set(clusters.keys()),
        clusterViews,
        targets: directory.targets.snapshot(),
        sharedPorts: directory.targets.sharedPorts(),
        interner: directory.interner,
      };
    },
  };
}

/** The same list for the same lists: the analysis runs again for another one. */
function createProblemsJoiner() {
  const joined = createMemo<readonly DerivationProblem[]>(1);
  return (ofFamilies: readonly DerivationProblem[], others: readonly DerivationProblem[]) =>
    others.length === 0 ? ofFamilies : joined.of([ofFamilies, others], '', () => join(ofFamilies, others));
}

function join<Item>(first: readonly Item[], second: readonly Item[]): readonly Item[] {
  return second.length === 0 ? first : [...first, ...second];
}
