import type { Route } from '../../generated/envoy/config/route/v3/Route.js';
import type { Service } from '../../model/service.js';

/** The fields of a route that a plugin may add to. */
export type RouteFields = Pick<Route, 'requestHeadersToAdd' | 'requestHeadersToRemove' | 'typedPerFilterConfig'>;

/** The additions of a plugin to the outbound routes of one proxy. */
export interface RoutePlan {
  /** Names every fact about the proxy that the plan reads: proxies with equal keys share their tables. */
  readonly key: string;
  /**
   * Names every input of the fields beside the mesh config and the service.
   *
   * @param service undefined for requests to hosts of no service
   */
  keyOf(service: Service | undefined): string;
  fieldsFor(service: Service | undefined): RouteFields;
}

/** Joins the plans of all plugins. Undefined without any, so that plain tables cost nothing more. */
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

/** Joins fields: headers add up, and the last settings of a filter replace earlier ones. */
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
