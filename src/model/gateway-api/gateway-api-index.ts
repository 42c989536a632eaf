import { isDeepStrictEqual } from 'node:util';
import { API_GATEWAY } from '../../config/gateway-api/gateway-api-names.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { ObjectKey } from '../../config/object.js';
import type { DerivationProblem } from '../derived/derivation.js';
import type { ListedGateway } from '../gateways/gateway-index.js';
import { ingressNamespaceOf } from '../gateways/ingress-namespace.js';
import { readGatewayClasses } from './classes.js';
import { type GatewayApi, type GatewayApiRoutes, NO_GATEWAY_API } from './gateway-api.js';
import type { GatewayApiSettings } from './gateway-api-settings.js';
import { reportGateway } from './gateway-reports.js';
import { type ApiGateway, listGateway, readApiGateways } from './gateways.js';
import { HostMerger } from './listener-hosts.js';
import type { ObjectTables } from './objects-of.js';
import { problemsOfReport } from './problems.js';
import { createGrants } from './reference-grants.js';
import type { GatewayApiReport } from './report.js';
import type { DraftHost } from './route-draft.js';
import { buildRouteTables, hostsOfListener } from './route-tables.js';
import { createRouteTranslator } from './routes.js';
import { createBackendResolver } from './rules/backends.js';

export interface GatewayApiSource {
  readonly objects: ObjectTables;
  readonly mesh: Pick<MeshConfig, 'ingressService' | 'rootNamespace'>;
}

/** Makes the index of each snapshot; to be called with successive ones. */
export type GatewayApiIndexer = (source: GatewayApiSource) => GatewayApi;

/** The kinds that the index reads. */
const KINDS = ['GatewayClass', API_GATEWAY, 'HTTPRoute', 'ReferenceGrant', 'Service', 'Namespace'] as const;

/**
 * @param domain DNS suffix of the cluster
 * @param settings undefined without NAV_ENABLED_SERVICE_APIS: no object has an effect
 */
export function createGatewayApiIndexer(domain: string, settings: GatewayApiSettings | undefined): GatewayApiIndexer {
  if (settings === undefined) return () => NO_GATEWAY_API;
  const { controllerName, ingressNamespace, regexLimits } = settings;
  const translator = createRouteTranslator(regexLimits);
  const merger = new HostMerger();
  const keepListed = createListKeeper();
  let inputs: readonly unknown[] = [];
  let index = NO_GATEWAY_API;
  const keepRoutes = createRoutesKeeper();
  const keepProblems = createProblemsKeeper();

  const build = ({ objects, mesh }: GatewayApiSource): GatewayApi => {
    const classes = readGatewayClasses(objects, controllerName);
    const isGranted = createGrants(objects);
    const defaultService = { namespace: ingressNamespaceOf(mesh, ingressNamespace), name: mesh.ingressService };
    const gateways = readApiGateways({ objects, classes: classes.accepted, isGranted, domain, defaultService });
    const byKey = new Map<ObjectKey, ApiGateway>(gateways.map((gateway) => [gateway.key, gateway]));
    const resolve = createBackendResolver(objects, isGranted, domain);
    const tables = buildRouteTables({ objects, gatewayOf: (key) => byKey.get(key), translator, resolve });
    const served = new Map<string, readonly DraftHost[]>();
    for (const gateway of gateways) {
      for (const listener of gateway.listeners) {
        if (!listener.isServed) continue;
        const place = placeOf(gateway.id, listener.index);
        const parts = hostsOfListener(listener, tables.of(listener), gateway);
        served.set(place, merger.merge(place, listener.spec.port, parts));
      }
    }
    merger.commit();
    const report: GatewayApiReport = {
      classes: classes.reports,
      gateways: gateways.map((gateway) =>
        reportGateway(gateway, (listener) => tables.of(listener)?.attached.size ?? 0),
      ),
      routes: tables.reports,
    };
    return {
      routes: keepRoutes(served),
      gateways: keepListed(gateways.flatMap((gateway) => listGateway(gateway) ?? [])),
      report,
      problems: keepProblems(problemsOfReport(report)),
    };
  };

  return (source) => {
    const next = [
      ...KINDS.map((kind) => source.objects.get(kind)),
      source.mesh.ingressService,
      source.mesh.rootNamespace,
    ];
    if (inputs.length === next.length && next.every((input, at) => input === inputs[at])) return index;
    inputs = next;
    index = build(source);
    return index;
  };
}

function placeOf(gateway: string, index: number): string {
  return `${gateway}|${index}`;
}

/** @returns a function whose result is the same object while all virtual hosts are */
function createRoutesKeeper(): (served: ReadonlyMap<string, readonly DraftHost[]>) => GatewayApiRoutes {
  let known: readonly unknown[] = [];
  let changes = 0;
  let { routes } = NO_GATEWAY_API;
  return (served) => {
    const next = [...served].flatMap(([place, hosts]) => [place, ...hosts.map(({ virtualHost }) => virtualHost)]);
    if (next.length === known.length && next.every((each, at) => each === known[at])) return routes;
    known = next;
    changes += 1;
    const id = next.length === 0 ? '' : `gateway-api-${changes}`;
    routes = { id, hostsOf: ({ gateway, index }) => served.get(placeOf(gateway, index)) };
    return routes;
  };
}

/** An equal list is the known list: the analysis runs again for another one. */
function createProblemsKeeper(): (problems: readonly DerivationProblem[]) => readonly DerivationProblem[] {
  let known = NO_GATEWAY_API.problems;
  return (problems) => {
    if (!isDeepStrictEqual(problems, known)) known = problems;
    return known;
  };
}

/** Gateways with known keys are the known objects, and an equal list is the known list. */
function createListKeeper(): (gateways: readonly ListedGateway[]) => readonly ListedGateway[] {
  let known: readonly ListedGateway[] = [];
  return (gateways) => {
    const byKey = new Map(known.map((gateway) => [gateway.key, gateway]));
    const kept = gateways.map((gateway) => byKey.get(gateway.key) ?? gateway);
    if (kept.length !== known.length || kept.some((gateway, at) => gateway !== known[at])) known = kept;
    return known;
  };
}
