import { appendTo } from '../../base/append-to.js';
import { type NamedAny, onDemandOff } from '../../envoy/http-filters.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { Route } from '../../generated/envoy/config/route/v3/Route.js';
import { memoize } from '../../model/memo.js';
import type { ServiceView } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import type { Destination } from '../../model/traffic/destination.js';
import type { HttpRoute, VirtualHost } from '../../model/traffic/http-route.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import type { DestinationPlan } from '../plugins/route-destinations.js';

/** Whether a proxy has a cluster for a destination, or can learn it. */
export type IsKnown = (destination: Destination) => boolean;

/**
 * Adds to the routes of on-demand proxies that they do not ask for clusters that do not exist. Envoy asks for each name
 * once, so the second request would wait for an answer until its time is over.
 */
export type UnaskedClusters = (plan: DestinationPlan, isKnown: IsKnown) => DestinationPlan;

export function createUnaskedClusters(encoder: MessageEncoder): UnaskedClusters {
  const off = onDemandOff(encoder);
  return (plan, isKnown) => ({
    keyOf: (host) => {
      const unknown = unknownIn(host, isKnown);
      return unknown.length === 0 ? plan.keyOf(host) : `${plan.keyOf(host)}\nunknown ${unknown.join()}`;
    },
    addTo: (fields, route) => withoutAsking(plan.addTo(fields, route), unknownOf(route, isKnown), off),
  });
}

/** Finds out by the clusters of a view, of all services that share a host. */
export function createKnownDestinations(): (traffic: TrafficView) => IsKnown {
  const byHostOf = memoize(({ services }: ServiceView): ReadonlyMap<string, readonly Service[]> => {
    const byHost = new Map<string, Service[]>();
    for (const service of services) {
      appendTo(byHost, service.hostname, service);
    }
    return byHost;
  });
  return (traffic) => {
    const byHost = byHostOf(traffic.services);
    return ({ hostname, port, subset }) =>
      byHost
        .get(hostname)
        ?.some((service) =>
          traffic
            .clustersOf(service)
            .some(({ destination }) => destination.port === port && destination.subset.name === subset.name),
        ) ?? false;
  };
}

/** Places of unknown destinations: the route, and the destination in it. */
function unknownIn({ routes }: VirtualHost, isKnown: IsKnown): readonly string[] {
  return routes.flatMap((route, index) => unknownOf(route, isKnown).map((at) => `${index}.${at}`));
}

function unknownOf({ action }: HttpRoute, isKnown: IsKnown): readonly number[] {
  if (action.type !== 'forward') return [];
  return action.destinations.flatMap((destination, at) => (isKnown(destination) ? [] : [at]));
}

/** Several destinations are weighted clusters, in the same order. */
function withoutAsking(fields: Route, unknown: readonly number[], off: NamedAny): Route {
  if (unknown.length === 0) return fields;
  const added = <Fields extends Pick<Route, 'typedPerFilterConfig'>>(each: Fields): Fields => ({
    ...each,
    typedPerFilterConfig: { ...each.typedPerFilterConfig, ...off },
  });
  const { weightedClusters } = fields.route ?? {};
  if (!weightedClusters) return added(fields);
  const clusters = (weightedClusters.clusters ?? []).map((cluster, at) =>
    unknown.includes(at) ? added(cluster) : cluster,
  );
  return { ...fields, route: { ...fields.route, weightedClusters: { ...weightedClusters, clusters } } };
}
