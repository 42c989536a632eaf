import type { Route } from '../../generated/envoy/config/route/v3/Route.js';
import type { Service } from '../../model/service.js';

/** The fields of a route that a plugin may add to. */
export type RouteFields = Pick<Route, 'requestHeadersToAdd' | 'requestHeadersToRemove' | 'typedPerFilterConfig'>;

/** What a plugin adds to the routes of one proxy's outbound requests. */
export interface RoutePlan {
  /** Names all that the plan reads of the proxy: proxies with equal keys share their tables. */
  readonly key: string;
  /**
   * Names all that the fields depend on beside mesh config and service.
   *
   * @param service undefined for requests to hosts that are no service
   */
  keyOf(service: Service | undefined): string;
  fieldsFor(service: Service | undefined): RouteFields;
}

/** The plans of all plugins as one; undefined without any, so that tables without plugins cost what they do without. */
export function joinRoutePlans(plans: readonly RoutePlan[]): RoutePlan | undefined {
  if (plans.length === 0) return undefined;
  const keys = new Map<Service | undefined, string>();
  return {
    key: JSON.stringify(plans.map(({ key }) => key)),
    keyOf: (service) => {
      let key = keys.get(service);
      if (key === undefined) {
        key = JSON.stringify(plans.map((plan) => plan.keyOf(service)));
        keys.set(service, key);
      }
      return key;
    },
    fieldsFor: (service) => mergeRouteFields(plans.map((plan) => plan.fieldsFor(service))),
  };
}

/** Headers add up; of one filter's settings the last ones count. */
export function mergeRouteFields(all: readonly RouteFields[]): RouteFields {
  const toAdd = all.flatMap((fields) => fields.requestHeadersToAdd ?? []);
  const toRemove = all.flatMap((fields) => fields.requestHeadersToRemove ?? []);
  const perFilter = Object.assign({}, ...all.map((fields) => fields.typedPerFilterConfig)) as NonNullable<
    RouteFields['typedPerFilterConfig']
  >;
  return {
    ...(toAdd.length > 0 ? { requestHeadersToAdd: toAdd } : {}),
    ...(toRemove.length > 0 ? { requestHeadersToRemove: toRemove } : {}),
    ...(Object.keys(perFilter).length > 0 ? { typedPerFilterConfig: perFilter } : {}),
  };
}
