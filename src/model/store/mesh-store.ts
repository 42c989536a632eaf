import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MeshNetworks } from '../../config/mesh/mesh-networks.js';
import { keyOf, type MeshObject, objectKey } from '../../config/object.js';
import type { ChangeBatch, ObjectChange } from '../object-change.js';
import { ClusterRegistry } from '../registry/cluster-registry.js';
import { createNetworkLookup } from '../registry/network-lookup.js';
import type { Translation } from '../registry/translation.js';
import { ChangeLog } from './change-log.js';
import type { MeshState } from './mesh-state.js';
import { isMeshKind } from './object-effect.js';
import { ObjectTable } from './object-table.js';
import { ServiceDirectory } from './service-directory.js';
import type { MeshStoreSettings } from './settings.js';
import type { StoreChange } from './store-change.js';

/** The one place that mutates: what sources deliver goes in, immutable states come out (DESIGN section 4). */
export interface MeshStore {
  /** Takes over one batch as a whole. Objects that are already there in the same version change nothing. */
  apply(batch: ChangeBatch): StoreChange;
  setMesh(mesh: MeshConfig): StoreChange;
  setNetworks(networks: MeshNetworks): StoreChange;
  /** The content now. Costs what changed since the last call, and later changes do not reach it. */
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

export function createMeshStore(settings: MeshStoreSettings, initial: MeshDocuments): MeshStore {
  let { mesh, networks } = initial;
  const objects = new ObjectTable(settings.clusterId);
  const directory = new ServiceDirectory(settings.clusterId);
  const clusters = new Map<string, Cluster>();
  const revisionLabel = `${settings.meshDomain}/rev`;

  const translationOf = (cluster: string): Translation => ({
    cluster,
    domain: settings.domain,
    meshDomain: settings.meshDomain,
    trustDomain: settings.trustDomain === '' ? mesh.trustDomain : settings.trustDomain,
    defaultServiceExportTo: mesh.defaultServiceExportTo.length === 0 ? ['*'] : mesh.defaultServiceExportTo,
    edsForHeadlessServices: settings.edsForHeadlessServices,
    networkOf: createNetworkLookup(networks, cluster),
  });

  const clusterOf = (name: string): Cluster => {
    let cluster = clusters.get(name);
    if (cluster === undefined) {
      cluster = { registry: new ClusterRegistry(settings), translation: translationOf(name) };
      clusters.set(name, cluster);
    }
    return cluster;
  };

  const translate = (name: string, { registry, translation }: Cluster, consumers: Iterable<string>): void => {
    for (const consumer of consumers) {
      directory.replace(`${name}/${consumer}`, registry.claims(consumer, translation));
    }
  };

  const translateAll = (): StoreChange => {
    for (const [name, cluster] of clusters) {
      cluster.translation = translationOf(name);
      translate(name, cluster, cluster.registry.consumers());
    }
    return new ChangeLog().everything(directory.settle());
  };

  const isOfOtherRevision = ({ kind, metadata }: MeshObject): boolean => {
    if (settings.revision === '' || !isMeshKind(kind)) return false;
    const revision = metadata.labels[revisionLabel];
    return revision !== undefined && revision !== settings.revision;
  };

  const remove = (cluster: string, key: string, dirty: Set<string>, log: ChangeLog): void => {
    const object = objects.delete(cluster, key);
    if (object === undefined) return;
    clusterOf(cluster).registry.delete(object, dirty);
    log.note(object.kind, key);
  };

  const upsert = (cluster: string, object: MeshObject, dirty: Set<string>, log: ChangeLog): void => {
    const key = keyOf(object);
    if (isOfOtherRevision(object)) {
      remove(cluster, key, dirty, log);
      return;
    }
    const known = objects.get(cluster, key);
    if (known !== undefined && isSameVersion(known, object)) return;
    objects.set(cluster, object);
    clusterOf(cluster).registry.set(object, dirty);
    log.note(object.kind, key);
  };

  const applyChange = (cluster: string, change: ObjectChange, dirty: Set<string>, log: ChangeLog): void => {
    switch (change.type) {
      case 'upsert':
        upsert(cluster, change.object, dirty, log);
        break;
      case 'delete':
        remove(cluster, objectKey(change.kind, change.namespace, change.name), dirty, log);
        break;
    }
  };

  return {
    apply: ({ cluster, changes }) => {
      const dirty = new Set<string>();
      const log = new ChangeLog();
      for (const change of changes) applyChange(cluster, change, dirty, log);
      if (dirty.size > 0) translate(cluster, clusterOf(cluster), dirty);
      return log.result(directory.settle());
    },
    setMesh: (next) => {
      mesh = next;
      return translateAll();
    },
    setNetworks: (next) => {
      networks = next;
      return translateAll();
    },
    state: () => ({
      mesh,
      networks,
      domain: settings.domain,
      services: directory.hosts.sorted(),
      servicesByHost: directory.hosts.winners,
      shadowedByHost: directory.hosts.shadowed,
      endpoints: directory.endpoints,
      objects: objects.snapshot(),
      findings: directory.findings.list(),
      views: directory.hosts.views(),
      targets: directory.targets.snapshot(),
      interner: directory.interner,
    }),
  };
}

function isSameVersion(known: MeshObject, next: MeshObject): boolean {
  if (known === next) return true;
  const { resourceVersion } = known.metadata;
  return resourceVersion !== '' && resourceVersion === next.metadata.resourceVersion;
}
