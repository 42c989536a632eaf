import { hash } from 'node:crypto';
import { appendTo } from '../../../base/append-to.js';
import type { MeshConfig } from '../../../config/mesh/mesh-config.js';
import { MESH_GATEWAY } from '../../../config/networking/host-names.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../../config/object.js';
import type { HostImports } from '../../sidecars/host-imports.js';
import { createDefaultRoutes, type ServiceRoutes } from '../service-routes.js';
import { delegateKeys, hasDelegates, mergeDelegates } from './delegates.js';
import { createNamespaceRules, createRuleTable, type NamespaceRules, type RuleTable } from './namespace-rules.js';
import { createRouteComposer, type RouteComposer } from './routes-to-services.js';
import { comparePrecedence, isVisibleTo, readVirtualService, type VirtualService } from './virtual-service.js';

/** The routes of a snapshot, by the namespace of the proxies. */
export interface VirtualServices {
  /**
   * Namespaces that use the same objects share the result, which stays the same while the objects do.
   *
   * @param imports restricts the objects to those with an imported host; undefined for all
   */
  ofNamespace(namespace: string, imports?: HostImports): ServiceRoutes;
}

export interface VirtualServiceSource {
  /** All objects by kind. */
  readonly objects: ReadonlyMap<string, ReadonlyMap<ObjectKey, MeshObject>>;
  readonly mesh: Pick<MeshConfig, 'rootNamespace' | 'defaultVirtualServiceExportTo' | 'virtualServiceScope'>;
}

/** Makes the index of each snapshot; to be called with successive ones. */
export type VirtualServiceIndexer = (source: VirtualServiceSource) => VirtualServices;

export interface VirtualServiceIndexSettings {
  /** DNS suffix of the cluster. */
  readonly domain: string;
  /** NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE */
  readonly delegates: boolean;
}

export function createVirtualServiceIndexer({ domain, delegates }: VirtualServiceIndexSettings): VirtualServiceIndexer {
  const compose = createRouteComposer(domain);
  const none = createDefaultRoutes();
  const numbers = createNumbering();
  const merge = createDelegateMerger();
  let table: ReadonlyMap<ObjectKey, MeshObject> | undefined;
  let mesh: VirtualServiceSource['mesh'] | undefined;
  let index: VirtualServices | undefined;
  let read = new WeakMap<MeshObject, VirtualService>();
  let shared = new Map<string, ServiceRoutes>();

  /** Empty where no object routes connections. */
  const connectionsIdOf = (virtualServices: readonly VirtualService[]): string => {
    const routing = virtualServices.filter(({ tls, tcp }) => tls.length > 0 || tcp.length > 0);
    return routing.length === 0 ? '' : idOf(routing.map(numbers));
  };

  const readAll = (): readonly VirtualService[] => {
    const byKey = new Map<ObjectKey, VirtualService>();
    for (const object of table?.values() ?? []) {
      let virtualService = read.get(object);
      if (virtualService === undefined && mesh !== undefined) {
        virtualService = readVirtualService(object, { ...mesh, domain });
        read.set(object, virtualService);
      }
      if (virtualService !== undefined) byKey.set(keyOf(object), virtualService);
    }
    const routing = [...byKey.values()].flatMap((virtualService) => {
      if (virtualService.hosts.length === 0) return [];
      if (!hasDelegates(virtualService)) return [virtualService];
      // Without the feature, an object with a delegate is ignored.
      return delegates ? [merge(virtualService, (key) => byKey.get(key))] : [];
    });
    return routing.sort(comparePrecedence);
  };

  const build = (): VirtualServices => {
    const all = readAll();
    const known = shared;
    shared = new Map();
    const everywhere = createRuleTable(all.filter(({ exportTo }) => exportTo.includes('*')));
    const publicId = idOf(everywhere.all.map(numbers));
    const publicConnectionsId = connectionsIdOf(everywhere.all);
    const additions = additionsByNamespace(all);
    // Only sidecars are limited by the namespace of the author.
    const authors = new Set(
      all
        .filter(({ gateways, isTrusted }) => gateways.has(MESH_GATEWAY) && !isTrusted)
        .map(({ namespace }) => namespace),
    );
    const byNamespace = new Map<string, ServiceRoutes>();

    const keep = (
      id: string,
      connectionIds: readonly [string, ...string[]],
      author: string,
      make: () => NamespaceRules,
    ): ServiceRoutes => {
      let routes = shared.get(id) ?? known.get(id);
      if (routes === undefined) {
        const rules = make();
        const connectionsId = connectionIds.every((each) => each === '') ? '' : [...connectionIds, author].join('/');
        routes = createRoutes(id, connectionsId, rules, compose);
      }
      shared.set(id, routes);
      return routes;
    };

    const routesOf = (namespace: string): ServiceRoutes => {
      const own = additions.get(namespace) ?? [];
      const author = authors.has(namespace) ? namespace : undefined;
      if (all.length === 0 || (own.length === 0 && everywhere.all.length === 0)) return none;
      const id = [publicId, own.length === 0 ? '' : idOf(own.map(numbers)), author ?? ''].join('/');
      return keep(id, [publicConnectionsId, connectionsIdOf(own)], author ?? '', () => {
        const tables: RuleTable[] = own.length === 0 ? [everywhere] : [everywhere, createRuleTable(own)];
        return createNamespaceRules(tables, author);
      });
    };

    const restrictedRoutesOf = (namespace: string, imports: HostImports): ServiceRoutes => {
      const seen = all.filter(
        (each) => isVisibleTo(each, namespace) && each.hosts.some((host) => imports.imports(each.namespace, host)),
      );
      if (seen.length === 0) return none;
      const author = authors.has(namespace) ? namespace : undefined;
      return keep(`:${idOf(seen.map(numbers))}/${author ?? ''}`, [connectionsIdOf(seen)], author ?? '', () =>
        createNamespaceRules([createRuleTable(seen)], author),
      );
    };

    return {
      ofNamespace: (namespace, imports) => {
        const isRestricted = imports !== undefined && !imports.isEverything;
        const key = isRestricted ? `${namespace}\n${imports.key}` : namespace;
        let routes = byNamespace.get(key);
        if (routes === undefined) {
          routes = isRestricted ? restrictedRoutesOf(namespace, imports) : routesOf(namespace);
          byNamespace.set(key, routes);
        }
        return routes;
      },
    };
  };

  return (source) => {
    const next = source.objects.get('VirtualService');
    if (mesh === undefined || !isSameMesh(mesh, source.mesh)) read = new WeakMap();
    else if (index !== undefined && next === table) return index;
    table = next;
    mesh = source.mesh;
    index = build();
    return index;
  };
}

/** Not within an index: a closure made there would keep the routes of the index before, and these of all before. */
function createRoutes(id: string, connectionsId: string, rules: NamespaceRules, compose: RouteComposer): ServiceRoutes {
  return { id, connectionsId, to: (services, clustersOf) => compose(rules, services, clustersOf) };
}

function isSameMesh(first: VirtualServiceSource['mesh'], second: VirtualServiceSource['mesh']): boolean {
  return (
    first.rootNamespace === second.rootNamespace &&
    first.virtualServiceScope === second.virtualServiceScope &&
    first.defaultVirtualServiceExportTo.join() === second.defaultVirtualServiceExportTo.join()
  );
}

/** The objects that only some namespaces use, in order of precedence. */
function additionsByNamespace(all: readonly VirtualService[]): ReadonlyMap<string, readonly VirtualService[]> {
  const byNamespace = new Map<string, VirtualService[]>();
  for (const virtualService of all) {
    if (virtualService.exportTo.includes('*')) continue;
    for (const namespace of new Set(virtualService.exportTo)) {
      appendTo(byNamespace, namespace, virtualService);
    }
  }
  return byNamespace;
}

/** Merges an object with its delegates, again only if one of them changed. */
function createDelegateMerger() {
  const known = new WeakMap<VirtualService, { readonly parts: readonly unknown[]; readonly merged: VirtualService }>();
  return (root: VirtualService, delegateOf: (key: ObjectKey) => VirtualService | undefined): VirtualService => {
    const parts = delegateKeys(root).map(delegateOf);
    const last = known.get(root);
    if (last?.parts.every((part, index) => part === parts[index])) return last.merged;
    const merged = mergeDelegates(root, delegateOf);
    known.set(root, { parts, merged });
    return merged;
  };
}

/** Numbers that no two objects share. */
function createNumbering(): (virtualService: VirtualService) => number {
  const numbers = new WeakMap<VirtualService, number>();
  let last = 0;
  return (virtualService) => {
    let number = numbers.get(virtualService);
    if (number === undefined) {
      last++;
      number = last;
      numbers.set(virtualService, number);
    }
    return number;
  };
}

function idOf(numbers: readonly number[]): string {
  return hash('sha256', numbers.join(), 'base64url').slice(0, 16);
}
