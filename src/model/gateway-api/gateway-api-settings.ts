import type { RegexLimits } from '../../config/regex/regex-limits.js';

/** Settings of the translation of the Gateway API, fixed for the life of the process. */
export interface GatewayApiSettings {
  /** The controller that GatewayClasses name. */
  readonly controllerName: string;
  /**
   * ORCH_INGRESS_NS: namespace of the default Service of Gateways, whose name is `ingressService` of the mesh config; empty
   * for the root namespace.
   */
  readonly ingressNamespace: string;
  readonly regexLimits: RegexLimits;
}
