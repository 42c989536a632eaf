import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { PushRequest } from '../../model/push-request.js';
import type { NamedGenerator, ResourcePart, Scope } from '../generator.js';
import type { ListenerPlan } from './listener-plan.js';
import type { RoutePlan } from './route-plan.js';

/**
 * A networking plugin (`--plugins`). It plans its additions to each proxy. Plugins add their filters in the order in
 * which `--plugins` lists them.
 */
export interface NetworkingPlugin extends ListenerPlugin, RoutePlugin {
  /** As `--plugins` names it. */
  readonly name: string;
  /** Clusters that its filters call. */
  readonly clusters?: ResourcePart<Scope>;
  /** Names of clusters of services that its filters call: an on-demand proxy has these from the start. */
  calledClusters?(context: Pick<PushContext, 'mesh'>): readonly string[];
  /** Configurations of the filters that its plans name (ECDS). */
  readonly extensionConfigs?: NamedGenerator;
}

export interface ListenerPlugin {
  /** Undefined where the plugin leaves the proxy's listeners as they are. */
  planListeners(context: ListenerPlanContext, proxy: Proxy): ListenerPlan | undefined;
}

/** The parts of a snapshot that a plan of listeners may read. */
export type ListenerPlanContext = Pick<
  PushContext,
  | 'mesh'
  | 'domain'
  | 'services'
  | 'servicesByHost'
  | 'shadowedByHost'
  | 'objects'
  | 'authorizationPolicies'
  | 'requestAuthentications'
  | 'bindingGrants'
  | 'quotaShapes'
  | 'apiKeySecrets'
  | 'inboundOf'
>;

export interface RoutePlugin {
  /** Undefined where the plugin leaves the proxy's routes as they are. */
  planRoutes(context: PushContext, proxy: Proxy): RoutePlan | undefined;
  /**
   * Whether the change may alter the key of a plan. Changes of services and of the mesh config need not be reported.
   */
  routesAffectedBy(request: PushRequest, context: PushContext | undefined): boolean;
}
