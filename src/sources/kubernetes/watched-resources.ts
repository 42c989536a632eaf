import type { KindRegistry } from '../../config/kinds.js';
import type { Resource } from './watch/resource.js';

export interface WatchedResourcesOptions {
  readonly kinds: KindRegistry;
  /** `--appNamespace` with the control plane's own; empty for all namespaces. */
  readonly namespaces: readonly string[];
  /** NAV_USE_ENDPOINT_SLICE: one of the two is watched, never both. */
  readonly useEndpointSlice: boolean;
}

/** The lists that are watched: each kind that is read, everywhere or once per namespace. */
export function watchedResources({
  kinds,
  namespaces,
  useEndpointSlice,
}: WatchedResourcesOptions): readonly Resource[] {
  const unused = useEndpointSlice ? 'Endpoints' : 'EndpointSlice';
  return kinds.definitions
    .filter(({ kind }) => kind !== unused)
    .flatMap((definition) => {
      const scopes = definition.namespaced && namespaces.length > 0 ? [...new Set(namespaces)] : [''];
      return scopes.map((namespace) => ({ definition, namespace }));
    });
}
