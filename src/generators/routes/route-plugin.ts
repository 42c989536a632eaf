import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import type { Route } from '../../generated/envoy/config/route/v3/Route.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import type { PushRequest } from '../../model/push-request.js';
import type { Service } from '../../model/service.js';

/** What a plugin may add to a route. */
export type RouteFields = Pick<Route, 'requestHeadersToAdd' | 'requestHeadersToRemove' | 'typedPerFilterConfig'>;

/** What a networking plugin adds to the routes of outbound requests (`--plugins`). */
export interface RoutePlugin {
  /** As `--plugins` names it. */
  readonly name: string;
  /**
   * All that the plugin reads of a proxy, as a text: proxies with equal ones share their tables. Empty when it leaves
   * all routes as they are.
   */
  variantOf(mesh: MeshConfig, proxy: Proxy): string;
  /**
   * Names all that the fields depend on beside mesh config and service, in one line.
   *
   * @param variant not empty
   * @param service undefined for requests to hosts that are no service
   */
  keyOf(context: PushContext, variant: string, service: Service | undefined): string;
  fieldsFor(mesh: MeshConfig, key: string, service: Service | undefined): RouteFields;
  /** Whether the change may alter a key; that of a service or the mesh config need not be told. */
  affectedBy(request: PushRequest, context: PushContext | undefined): boolean;
}
