import { createHash } from 'node:crypto';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { GatewaySpec } from '../../config/networking/gateway.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { authorNamespaceOf } from '../derived/source-keys.js';
import { memoize } from '../memo.js';
import { isSelected, type Labels, type SelectedLabels } from '../security/namespace-mutual-tls.js';
import { compareAge, compareText } from '../service-order.js';
import type { GatewayServer } from './gateway-server.js';
import { translateServers } from './translate-gateway.js';

/** One Gateway. */
export interface Gateway {
  /** `<namespace>/<name>` */
  readonly id: string;
  readonly namespace: string;
  readonly servers: readonly GatewayServer[];
}

/** The Gateways that select a router. The same object while they stay the same. */
export interface SelectedGateways {
  /** Equal keys have equal gateways; empty for none. */
  readonly key: string;
  /** In order of precedence: those of the router's namespace and of the root namespace first, then the oldest first. */
  readonly gateways: readonly Gateway[];
  /** Number of those of the router's namespace and of the root namespace. */
  readonly trusted: number;
}

/** The facts about a router that decide which Gateways select it. */
export interface Router {
  readonly namespace: string;
  readonly labels: Labels;
  /** Whether Gateways of its own namespace alone select it (NAV_SCOPE_GATEWAY_TO_NAMESPACE). */
  readonly onlyOwnNamespace: boolean;
}

/** The Gateways of a snapshot, by the routers that they select (docs/reference/xds.md#gateways). */
export interface Gateways {
  of(router: Router): SelectedGateways;
}

/** The parts of a snapshot that the index is made from. */
export interface GatewaySource {
  /** All objects by kind. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  readonly mesh: Pick<MeshConfig, 'rootNamespace'>;
  /** Further Gateways, those of the Gateway API. The same array while they stay the same. */
  readonly apiGateways?: readonly ListedGateway[];
}

/** A Gateway with the routers that it selects. */
export interface ListedGateway extends Gateway {
  /** Equal keys have equal Gateways. */
  readonly key: string;
  readonly creationTimestamp: string;
  /** The namespace of the author: its own, or that of the object from which it is made. */
  readonly author: string;
  readonly selector: SelectedLabels;
  /** The namespace of the routers; undefined for all. */
  readonly workloadNamespace?: string;
}

const NONE: SelectedGateways = { key: '', gateways: [], trusted: 0 };

/** Makes the index of each snapshot; call it with successive ones. */
export function createGatewayIndexer(): (source: GatewaySource) => Gateways {
  let table: ReadonlyMap<ObjectKey, MeshObject> | undefined;
  let rootNamespace = '';
  let more: readonly ListedGateway[] = [];
  let index: Gateways | undefined;
  let lists = new Map<string, SelectedGateways>();
  const entryOf = memoize(readEntry);
  return ({ objects, mesh, apiGateways = more }) => {
    const next = objects.get('Gateway');
    const isSame = next === table && mesh.rootNamespace === rootNamespace && apiGateways === more;
    if (index !== undefined && isSame) return index;
    table = next;
    more = apiGateways;
    rootNamespace = mesh.rootNamespace;
    const known = lists;
    lists = new Map();
    index = createIndex([...Array.from(table?.values() ?? [], entryOf), ...more], rootNamespace, known, lists);
    return index;
  };
}

/**
 * @param known lists of the index before, by key
 * @param lists is given the lists of this one
 */
function createIndex(
  entries: readonly ListedGateway[],
  rootNamespace: string,
  known: ReadonlyMap<string, SelectedGateways>,
  lists: Map<string, SelectedGateways>,
): Gateways {
  if (entries.length === 0) return { of: () => NONE };
  const sorted = [...entries].sort(
    (first, second) =>
      compareAge(first.creationTimestamp, second.creationTimestamp) || compareText(first.id, second.id),
  );
  const select = ({ namespace, onlyOwnNamespace }: Omit<Router, 'labels'>, labels: Labels): SelectedGateways => {
    const isTrusted = (entry: ListedGateway) => entry.author === namespace || entry.author === rootNamespace;
    const selecting = sorted.filter(
      (entry) =>
        (!onlyOwnNamespace || entry.namespace === namespace) &&
        (entry.workloadNamespace ?? namespace) === namespace &&
        isSelected(labels, entry.selector),
    );
    if (selecting.length === 0) return NONE;
    // No tenant's Gateway takes a port or host from those that the operator of the router made.
    const own = selecting.filter(isTrusted);
    const gateways = [...own, ...selecting.filter((entry) => !isTrusted(entry))];
    const trusted = own.length;
    const key = hashOf([trusted, ...gateways.map((gateway) => gateway.key)]);
    let list = lists.get(key);
    if (list === undefined) {
      list = known.get(key) ?? { key, gateways, trusted };
      lists.set(key, list);
    }
    return list;
  };
  // A proxy keeps its labels object, and each of its pushes asks several times.
  const results = new Map<string, (labels: Labels) => SelectedGateways>();
  return {
    of: ({ labels, ...router }) => {
      const place = `${router.onlyOwnNamespace} ${router.namespace}`;
      let result = results.get(place);
      if (result === undefined) {
        result = memoize((asked: Labels) => select(router, asked));
        results.set(place, result);
      }
      return result(labels);
    },
  };
}

function readEntry(object: MeshObject): ListedGateway {
  const spec = object.body as GatewaySpec;
  const { name, namespace, creationTimestamp = '' } = object.metadata;
  const author = authorNamespaceOf(object);
  return {
    id: `${namespace}/${name}`,
    namespace,
    servers: translateServers(object, spec),
    key: `${keyOf(object)} ${author} ${creationTimestamp} ${hashOf(spec)}`,
    creationTimestamp,
    author,
    selector: Object.entries(spec.selector).sort(([first], [second]) => compareText(first, second)),
  };
}

function hashOf(value: unknown): string {
  return createHash('sha256').update(JSON.stringify(value)).digest('base64url');
}
