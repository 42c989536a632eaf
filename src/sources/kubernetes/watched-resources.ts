import { INGRESS_GROUP, isConfigurationGroup } from '../../config/kind-definition.js';
import type { KindRegistry } from '../../config/kinds.js';
import { type Resource, resourcesOf } from '../../kubernetes/watch/resource.js';

/** Which kinds are read from a cluster. */
export interface KindChoice {
  /**
   * Whether Kubernetes' own kinds are read: Services, Pods and so on. Only with the Orchestrator registry
   * (--registries).
   */
  readonly readsCoreKinds: boolean;
  /** Whether the mesh's custom resources are read, those of the Gateway API and Ingresses. Not where files are the source of configuration (--configDir). */
  readonly readsMeshKinds: boolean;
  /** Whether Ingresses and their classes are read too (`ingressControllerMode`); asked at the start. Default: they are. */
  readonly readsIngresses?: (() => boolean) | undefined;
}

export interface WatchedResourcesOptions extends KindChoice {
  readonly kinds: KindRegistry;
  /** `--appNamespace` with the control plane's own; empty for all namespaces. */
  readonly namespaces: readonly string[];
  /** NAV_USE_ENDPOINT_SLICE: one of the two is watched, never both. */
  readonly useEndpointSlice: boolean;
}

/** The lists to watch: each kind that is read, cluster-wide or once for each namespace. */
export function watchedResources(options: WatchedResourcesOptions): readonly Resource[] {
  const { kinds, namespaces, useEndpointSlice, readsCoreKinds, readsMeshKinds, readsIngresses } = options;
  const hasIngresses = readsIngresses?.() ?? true;
  const unused = useEndpointSlice ? 'Endpoints' : 'EndpointSlice';
  return kinds.definitions
    .filter(({ kind }) => kind !== unused)
    .filter(({ group }) => (isConfigurationGroup(group, kinds.meshDomain) ? readsMeshKinds : readsCoreKinds))
    .filter(({ group }) => hasIngresses || group !== INGRESS_GROUP)
    .flatMap((definition) => resourcesOf(definition, namespaces));
}
