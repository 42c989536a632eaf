import { inOneStep, type Steps } from '../../base/steps.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Finding } from '../../model/finding.js';
import { createMemo } from '../../model/memo.js';
import { isOnDemand } from '../../model/on-demand.js';
import type { PushContext } from '../../model/push-context.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import type { Caller } from '../../model/traffic/virtual-services/caller.js';
import { routesAffectedBy } from '../affected-by.js';
import type { NamedGenerator, Scope } from '../generator.js';
import type { RoutePlugin } from '../plugins/networking-plugin.js';
import { joinRoutePlans, type RoutePlan } from '../plugins/route-plan.js';
import type { GeneratorSettings } from '../settings.js';
import { createSweptMemory, type SweptMemory } from '../swept-memory.js';
import { createViewIndexer } from '../view-index.js';
import {
  composeFromShared,
  composeRouteTable,
  composeSharedTable,
  type RouteTable,
  type SharedTable,
} from './compose-table.js';
import { parseRouteName, type RouteName, type RouteTableInput, targetsOf } from './route-table.js';
import { createKnownDestinations, createUnaskedClusters } from './unasked-clusters.js';
import { domainWithoutServices } from './virtual-host-domains.js';
import { createVirtualHostEncoder } from './virtual-host-encoder.js';

/** The inputs of the route tables of a sidecar. */
export interface RouteScope extends Scope {
  /** False for routers, which have no tables yet. */
  readonly served: boolean;
  readonly traffic: TrafficView;
  /** The proxy, as far as routes read it. */
  readonly caller: Caller;
  readonly dnsDomain: string;
  /** Names every fact of the scope but the namespace in the DNS domain. */
  readonly sharedKey: string;
  /** The additions of plugins to its routes; undefined for none. */
  readonly plan: RoutePlan | undefined;
  /** Whether it asks for clusters when a request needs them. */
  readonly onDemand: boolean;
}

/** Outbound route tables of sidecars (docs/reference/xds.md#routes). */
export function createRouteGenerator(
  encoder: MessageEncoder,
  settings: GeneratorSettings,
  plugins: readonly RoutePlugin[] = [],
): NamedGenerator<RouteScope> {
  const hosts = createVirtualHostEncoder(encoder);
  const indexOf = createViewIndexer();
  const unaskedClusters = createUnaskedClusters(encoder);
  const isKnownIn = createKnownDestinations();
  /** Tables of a snapshot, for as long as a proxy has them: metadata of proxies can make any number of tables. */
  const tables = createMemo<SweptMemory<EncodedResource>>();
  const findings = createMemo<readonly Finding[]>();
  /** Of the tables of a snapshot, what all namespaces of a cluster share; for as long as a table has it. */
  const sharedTables = createMemo<SweptMemory<SharedTable>>();

  const sharedTable = function* (
    parsed: RouteName,
    input: RouteTableInput,
    key: string,
  ): Steps<SharedTable | undefined> {
    const known = sharedTables.of([input.context], '', () => createSweptMemory());
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const targets = targetsOf(parsed, input);
    if (targets === undefined) return undefined;
    const made = yield* composeSharedTable(hosts, targets, input);
    known.keep(key, made);
    return made;
  };

  const build = function* (context: PushContext, scope: RouteScope, name: string): Steps<RouteTable | undefined> {
    const parsed = scope.served ? parseRouteName(name) : undefined;
    if (parsed === undefined) return undefined;
    const { traffic, caller, dnsDomain, plan, onDemand } = scope;
    const inputs = { caller, timeoutMs: settings.defaultRequestTimeoutMs };
    const input: RouteTableInput = {
      context,
      traffic,
      inputs,
      indexOf,
      dnsDomain,
      sniff: settings.sniffOutbound,
      plan,
      unasked: onDemand ? (planned) => unaskedClusters(planned, isKnownIn(traffic)) : undefined,
    };
    const shared = yield* sharedTable(parsed, input, `${scope.sharedKey}\n${name}`);
    const table = shared && composeFromShared(encoder, hosts, name, shared, input);
    if (table !== undefined) return table;
    const targets = targetsOf(parsed, input);
    return targets && (yield* composeRouteTable(encoder, hosts, name, targets, input, shared));
  };

  // The push asks for findings after the table, and proxies with other sets of names share single tables.
  const tableInSteps = function* (
    context: PushContext,
    scope: RouteScope,
    name: string,
  ): Steps<EncodedResource | undefined> {
    const known = tables.of([context], '', () => createSweptMemory());
    const key = `${scope.key}\n${name}`;
    const remembered = known.get(key);
    if (remembered !== undefined) return remembered;
    const table = yield* build(context, scope, name);
    // Another computation of the same table may have ended in a pause of this one.
    const other = known.get(key);
    if (other !== undefined) return other;
    // Proxies can ask for any name: names without a table must not fill the memory.
    if (table === undefined) return undefined;
    known.keep(key, table.resource);
    findings.of([table.resource], '', () => table.findings);
    return table.resource;
  };
  const tableOf = (context: PushContext, scope: RouteScope, name: string): EncodedResource | undefined =>
    inOneStep(tableInSteps(context, scope, name));

  return {
    mode: 'named',
    typeUrl: TypeUrl.route,
    affectedBy: (request, proxyType, context) =>
      routesAffectedBy(request, proxyType) ||
      (proxyType === 'sidecar' && plugins.some((plugin) => plugin.routesAffectedBy(request, context))),
    scope: (context, proxy) => {
      const served = proxy.type === 'sidecar';
      const { dnsDomain } = proxy;
      const traffic = context.trafficOf(proxy);
      const plan = served
        ? joinRoutePlans(plugins.flatMap((plugin) => plugin.planRoutes(context, proxy) ?? []))
        : undefined;
      const caller = traffic.callerOf(proxy);
      const onDemand = isOnDemand(context, proxy);
      const facts = [traffic.id, caller.key, plan?.key ?? '', onDemand ? 'on demand' : ''].join('|');
      const key = served ? `${facts}|${dnsDomain}` : 'router';
      const sharedKey = `${facts}|${domainWithoutServices(dnsDomain)}`;
      return { key, served, traffic, caller, dnsDomain, sharedKey, plan, onDemand };
    },
    generate: tableOf,
    generateInSteps: tableInSteps,
    findings: (context, scope, name) => {
      const table = tableOf(context, scope, name);
      return table === undefined ? [] : findings.of([table], '', () => []);
    },
  };
}
