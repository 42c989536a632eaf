import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { PushRequest } from '../../model/push-request.js';
import type { NamedGenerator, ResourcePart, Scope } from '../generator.js';
import type { ListenerPlan } from './listener-plan.js';
import type { RoutePlan } from './route-plan.js';

/**
 * A networking plugin (`--plugins`): what it adds to each proxy, as plans. Plugins run in the order in which they are
 * listed, and each adds its filters in that order (docs/reference/xds.md#protocol-selection).
 */
export interface NetworkingPlugin extends ListenerPlugin, RoutePlugin {
  /** As `--plugins` names it. */
  readonly name: string;
  /** Clusters that its filters call. */
  readonly clusters: ResourcePart<Scope>;
  /** Configurations of the filters that its plans name (ECDS). */
  readonly extensionConfigs: NamedGenerator;
}

export interface ListenerPlugin {
  /** Undefined where the plugin leaves the proxy's listeners as they are. */
  planListeners(context: ListenerPlanContext, proxy: Proxy): ListenerPlan | undefined;
}

/** What the plan of listeners may depend on beside the proxy. */
export type ListenerPlanContext = Pick<PushContext, 'mesh' | 'services' | 'shadowedByHost'>;

export interface RoutePlugin {
  /** Undefined where the plugin leaves the proxy's routes as they are. */
  planRoutes(context: PushContext, proxy: Proxy): RoutePlan | undefined;
  /** Whether the change may alter a key of a plan; that of a service or the mesh config need not be told. */
  routesAffectedBy(request: PushRequest, context: PushContext | undefined): boolean;
}
