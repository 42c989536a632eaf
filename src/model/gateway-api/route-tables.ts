import { appendTo } from '../../base/append-to.js';
import type { HttpRouteSpec } from '../../config/gateway-api/http-route.js';
import { keyOf, type MeshObject, type ObjectKey } from '../../config/object.js';
import { compareObjects } from '../object-order.js';
import { type Attachment, attach, type ParentGateway } from './attachments.js';
import { type HostParts, isWithinOther, ownsHost } from './listener-hosts.js';
import type { ApiListener } from './listeners.js';
import { type ObjectTables, objectsOf } from './objects-of.js';
import { condition, type ParentReport, type ReportedCondition, type RouteReport } from './report.js';
import type { RouteDraft } from './route-draft.js';
import type { RouteTranslator, TranslatedRoute } from './routes.js';
import type { ResolveBackend } from './rules/backends.js';

/** Routes in the virtual hosts of one listener, over all hosts. The oldest objects come first and keep their place. */
const MAX_ROUTES = 20_000;
/** Those of one namespace: the others of a shared listener keep room. */
const MAX_ROUTES_OF_NAMESPACE = 5_000;

/** The routes of one listener. */
export interface ListenerRoutes {
  readonly attached: ReadonlySet<ObjectKey>;
  readonly hosts: HostParts;
}

export interface RouteTables {
  of(listener: ApiListener): ListenerRoutes | undefined;
  readonly reports: readonly RouteReport[];
}

export interface RouteTableSource {
  readonly objects: ObjectTables;
  readonly gatewayOf: (key: ObjectKey) => ParentGateway | undefined;
  readonly translator: RouteTranslator;
  readonly resolve: ResolveBackend;
}

interface OpenTable {
  readonly attached: Set<ObjectKey>;
  readonly hosts: Map<string, (readonly RouteDraft[])[]>;
  routes: number;
  readonly ofNamespace: Map<string, number>;
}

type Route = MeshObject<string, HttpRouteSpec>;

/** Attaches all routes to the listeners of their parents, the oldest first. */
export function buildRouteTables({ objects, gatewayOf, translator, resolve }: RouteTableSource): RouteTables {
  const tables = new Map<ApiListener, OpenTable>();
  const tableOf = (listener: ApiListener): OpenTable => {
    let table = tables.get(listener);
    if (table === undefined) {
      table = { attached: new Set(), hosts: new Map(), routes: 0, ofNamespace: new Map() };
      tables.set(listener, table);
    }
    return table;
  };

  const translate = (route: Route, { spec }: ApiListener): TranslatedRoute =>
    translator.translate(route, { port: spec.port, scheme: spec.protocol === 'HTTPS' ? 'https' : 'http' }, resolve);

  /** @returns false where the listener has no room for the route */
  const add = (route: Route, { listener, hostnames }: Attachment, gateway: ParentGateway): boolean => {
    const { drafts } = translate(route, listener);
    const table = tableOf(listener);
    const { namespace } = route.metadata;
    const cost = drafts.length * hostnames.length;
    const ofNamespace = (table.ofNamespace.get(namespace) ?? 0) + cost;
    if (table.routes + cost > MAX_ROUTES || ofNamespace > MAX_ROUTES_OF_NAMESPACE) return false;
    table.routes += cost;
    table.ofNamespace.set(namespace, ofNamespace);
    table.attached.add(keyOf(route));
    for (const hostname of hostnames) {
      const isNew = table.hosts.get(hostname)?.includes(drafts) !== true;
      if (isNew && ownsHost(listener, hostname, gateway.listeners)) appendTo(table.hosts, hostname, drafts);
    }
    return true;
  };

  const reportParent = (route: Route, parentRef: ParentReport['parentRef']): ParentReport | undefined => {
    const result = attach(route, parentRef, gatewayOf, objects);
    if (result === undefined) return undefined;
    const [any] = result.type === 'attached' ? result.attachments : [];
    const { resolvedRefs } =
      any === undefined
        ? translator.translate(route, { port: 80, scheme: 'http' }, resolve)
        : translate(route, any.listener);
    const acceptance = (): ReportedCondition => {
      if (result.type === 'refused') return condition('Accepted', false, result.problem.reason, result.problem.message);
      const rejection = translator.rejectionOf(route);
      if (rejection !== undefined) return rejection;
      const added = result.attachments.filter((attachment) => add(route, attachment, result.gateway));
      return added.length > 0 ? condition('Accepted', true, 'Accepted') : FULL;
    };
    return { parentRef, conditions: [acceptance(), resolvedRefs] };
  };

  const reports = objectsOf<HttpRouteSpec>(objects, 'HTTPRoute')
    .toSorted(compareObjects)
    .flatMap((route): readonly RouteReport[] => {
      const parents = route.body.parentRefs.flatMap((parentRef) => reportParent(route, parentRef) ?? []);
      return [{ key: keyOf(route), generation: route.metadata.generation, parents }];
    });
  return {
    reports,
    of: (listener) => tables.get(listener),
  };
}

/** The hosts of a listener; its own without routes keeps requests from wider listeners. */
export function hostsOfListener(
  listener: ApiListener,
  routes: ListenerRoutes | undefined,
  { listeners }: Pick<ParentGateway, 'listeners'>,
): HostParts {
  const hosts = routes?.hosts ?? new Map();
  if (hosts.has(listener.hostname) || !isWithinOther(listener, listeners)) return hosts;
  return new Map([...hosts, [listener.hostname, []]]);
}

const FULL = condition(
  'Accepted',
  false,
  'UnsupportedValue',
  `the listeners have no room: one has at most ${MAX_ROUTES} routes over all hosts, and ${MAX_ROUTES_OF_NAMESPACE} of one namespace; remove matches or hostnames`,
);
