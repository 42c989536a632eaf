import type { ParentReference } from '../../config/gateway-api/http-route.js';
import type { ObjectKey } from '../../config/object.js';

/** A condition before it has times and a generation. */
export interface ReportedCondition {
  readonly type: string;
  readonly status: boolean;
  /** One of the reasons of the Gateway API. */
  readonly reason: string;
  readonly message: string;
}

export interface ReportedObject {
  readonly key: ObjectKey;
  /** The generation that was judged; undefined for objects of files. */
  readonly generation: number | undefined;
}

export interface ClassReport extends ReportedObject {
  readonly conditions: readonly ReportedCondition[];
  readonly supportedFeatures: readonly string[];
}

/** A Secret that a listener needs. */
export interface CertificateUse {
  readonly namespace: string;
  readonly name: string;
}

export interface ListenerReport {
  readonly name: string;
  readonly supportedKinds: readonly { readonly group: string; readonly kind: string }[];
  readonly attachedRoutes: number;
  readonly conditions: readonly ReportedCondition[];
  /** The Secret that the listener serves with; the model does not know whether it is usable. */
  readonly certificate?: CertificateUse;
}

export interface GatewayAddress {
  readonly type: 'IPAddress' | 'Hostname';
  readonly value: string;
}

export interface GatewayReport extends ReportedObject {
  readonly conditions: readonly ReportedCondition[];
  readonly addresses: readonly GatewayAddress[];
  readonly listeners: readonly ListenerReport[];
}

export interface ParentReport {
  readonly parentRef: ParentReference;
  readonly conditions: readonly ReportedCondition[];
}

export interface RouteReport extends ReportedObject {
  /** One for each parent that is a Gateway of this controller. */
  readonly parents: readonly ParentReport[];
}

/** What the control plane says about each object of the Gateway API; those of other controllers are not in it. */
export interface GatewayApiReport {
  readonly classes: readonly ClassReport[];
  readonly gateways: readonly GatewayReport[];
  readonly routes: readonly RouteReport[];
}

export function condition(type: string, status: boolean, reason: string, message = ''): ReportedCondition {
  return { type, status, reason, message };
}
