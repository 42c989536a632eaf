import type { Route } from '../../generated/envoy/config/route/v3/Route.js';
import type { _envoy_config_route_v3_WeightedCluster_ClusterWeight as ClusterWeight } from '../../generated/envoy/config/route/v3/WeightedCluster.js';
import type { Service } from '../../model/service.js';
import type { HttpRoute, VirtualHost } from '../../model/traffic/http-route.js';
import { mergeRouteFields, type RouteFields, type RoutePlan } from './route-plan.js';

/** The service of a destination's host in a view; undefined for a host that is no service. */
export type ServiceOfHost = (hostname: string) => Service | undefined;

/** The additions of plugins to routes, by the services that each of them leads to. */
export interface DestinationPlan {
  /** Names every input of the additions to a virtual host beside the mesh config and the virtual host. */
  keyOf(host: VirtualHost): string;
  /** @param fields of the route as Envoy gets it without plugins */
  addTo(fields: Route, route: HttpRoute): Route;
}

/** Adds nothing. */
export const NO_PLAN: DestinationPlan = { keyOf: () => '', addTo: (fields) => fields };

/**
 * A route of one host can lead to others, and then the policies of these apply: each weighted destination has the
 * additions of its own service.
 */
export function planDestinations(plan: RoutePlan | undefined, serviceOf: ServiceOfHost): DestinationPlan {
  if (plan === undefined) return NO_PLAN;
  return {
    keyOf: ({ routes }) => {
      let key = plan.keyOf(undefined);
      for (const hostname of new Set(routes.flatMap(hostnamesOf))) {
        const service = serviceOf(hostname);
        key += `\n${hostname} ${service?.namespace}/${service?.name} ${plan.keyOf(service)}`;
      }
      return key;
    },
    addTo: (fields, route) => {
      const services = new Set(hostnamesOf(route).map(serviceOf));
      const [only] = services;
      // Without a destination nothing leaves: the additions are those of an unknown service.
      return services.size < 2 ? merged(fields, plan.fieldsFor(only)) : addToEach(fields, route, plan, serviceOf);
    },
  };
}

function hostnamesOf({ action }: HttpRoute): readonly string[] {
  return action.type === 'forward' ? action.destinations.map(({ hostname }) => hostname) : [];
}

/** Several destinations are weighted clusters, in the same order. */
function addToEach(fields: Route, route: HttpRoute, plan: RoutePlan, serviceOf: ServiceOfHost): Route {
  const hostnames = hostnamesOf(route);
  const clusters = (fields.route?.weightedClusters?.clusters ?? []).map((cluster, index) =>
    merged(cluster, plan.fieldsFor(serviceOf(hostnames[index] ?? ''))),
  );
  return { ...fields, route: { ...fields.route, weightedClusters: { ...fields.route?.weightedClusters, clusters } } };
}

function merged<Fields extends Route | ClusterWeight>(fields: Fields, added: RouteFields): Fields {
  return { ...fields, ...mergeRouteFields([fields as RouteFields, added]) };
}
