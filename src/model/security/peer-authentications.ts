import { appendTo } from '../../base/append-to.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { PeerAuthenticationSpec } from '../../config/security/peer-authentication.js';
import type { MutualTlsMode } from './mutual-tls.js';
import { createNamespaceMutualTls, modeOfSpec, type NamespaceMutualTls } from './namespace-mutual-tls.js';
import { peerAuthenticationsOldestFirst, selectedLabels } from './oldest-first.js';

/**
 * The workloads that take mutual TLS (docs/reference/xds.md#mutual-tls). The same object for as long as nothing
 * changed.
 */
export interface PeerAuthentications {
  ofNamespace(namespace: string): NamespaceMutualTls;
}

/** The parts of a snapshot that the index is made from. */
export interface PeerAuthenticationSource {
  /** All objects by kind. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  readonly mesh: Pick<MeshConfig, 'rootNamespace'>;
}

type Table = ReadonlyMap<ObjectKey, MeshObject> | undefined;

const KIND = 'PeerAuthentication';
const DEFAULT_MODE: MutualTlsMode = 'PERMISSIVE';

/** Builds the index of each snapshot; call it with successive ones. */
export type PeerAuthenticationIndexer = (source: PeerAuthenticationSource) => PeerAuthentications;

export function createPeerAuthenticationIndexer(): PeerAuthenticationIndexer {
  let table: Table;
  let rootNamespace: string | undefined;
  let index: Index | undefined;
  return ({ objects, mesh }) => {
    const next = objects.get(KIND);
    if (index === undefined || next !== table || mesh.rootNamespace !== rootNamespace) {
      table = next;
      rootNamespace = mesh.rootNamespace;
      index = nextIndex(index, table, rootNamespace);
    }
    return index;
  };
}

interface Index extends PeerAuthentications {
  readonly byNamespace: ReadonlyMap<string, NamespaceMutualTls>;
  /** For namespaces without an object of their own. */
  readonly others: NamespaceMutualTls;
}

/** Keeps the unchanged parts of the previous index, or all of it when nothing changed. */
function nextIndex(previous: Index | undefined, table: Table, rootNamespace: string): Index {
  const inNamespaces = byNamespaceOf(peerAuthenticationsOldestFirst(table?.values() ?? []));
  const meshMode = modeForAll(inNamespaces.get(rootNamespace) ?? [], DEFAULT_MODE);
  const others = keep(previous?.others, createNamespaceMutualTls(meshMode, []));
  const byNamespace = new Map<string, NamespaceMutualTls>();
  for (const [namespace, objects] of inNamespaces) {
    const mode = namespace === rootNamespace ? meshMode : modeForAll(objects, meshMode);
    const made = createNamespaceMutualTls(mode, objects.map(specOf).filter(hasSelector));
    byNamespace.set(namespace, keep(previous?.byNamespace.get(namespace) ?? previous?.others, made));
  }
  const isSame =
    previous?.others === others &&
    previous.byNamespace.size === byNamespace.size &&
    [...byNamespace].every(([namespace, each]) => previous.byNamespace.get(namespace) === each);
  if (isSame) return previous;
  return { others, byNamespace, ofNamespace: (namespace) => byNamespace.get(namespace) ?? others };
}

function byNamespaceOf(objects: readonly MeshObject[]): ReadonlyMap<string, readonly MeshObject[]> {
  const groups = new Map<string, MeshObject[]>();
  for (const object of objects) {
    appendTo(groups, object.metadata.namespace, object);
  }
  return groups;
}

function keep(previous: NamespaceMutualTls | undefined, next: NamespaceMutualTls): NamespaceMutualTls {
  return previous?.key === next.key ? previous : next;
}

/** The mode of the oldest object without a selector; younger ones have no effect. */
function modeForAll(oldestFirst: readonly MeshObject[], inherited: MutualTlsMode): MutualTlsMode {
  const spec = oldestFirst.map(specOf).find((each) => !hasSelector(each));
  return spec === undefined ? inherited : modeOfSpec(spec, inherited);
}

function specOf({ body }: MeshObject): PeerAuthenticationSpec {
  return body as PeerAuthenticationSpec;
}

/** A selector without labels counts as absent. */
function hasSelector(spec: PeerAuthenticationSpec): boolean {
  return selectedLabels(spec).length > 0;
}
