import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import type { RouteFields, RoutePlugin } from './route-plugin.js';

/** What all plugins together add to the routes of one table. */
export interface RouteAdditions {
  /** Names all that the fields depend on beside mesh config and service. */
  keyOf(service: Service | undefined): string;
  fieldsFor(key: string, service: Service | undefined): RouteFields;
}

const SEPARATOR = '\n';

/**
 * Undefined when no plugin adds anything, so that tables without plugins cost what they do without.
 *
 * @param variants of the plugins, in their order
 */
export function routeAdditions(
  context: PushContext,
  plugins: readonly RoutePlugin[],
  variants: readonly string[],
): RouteAdditions | undefined {
  const active = plugins.flatMap((plugin, index) => {
    const variant = variants[index] ?? '';
    return variant === '' ? [] : [{ plugin, variant }];
  });
  if (active.length === 0) return undefined;
  const keys = new Map<Service | undefined, string>();
  return {
    keyOf: (service) => {
      let key = keys.get(service);
      if (key === undefined) {
        key = active.map(({ plugin, variant }) => plugin.keyOf(context, variant, service)).join(SEPARATOR);
        keys.set(service, key);
      }
      return key;
    },
    fieldsFor: (key, service) => {
      const ownKeys = key.split(SEPARATOR);
      return mergeRouteFields(
        active.map(({ plugin }, index) => plugin.fieldsFor(context.mesh, ownKeys[index] ?? '', service)),
      );
    },
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
