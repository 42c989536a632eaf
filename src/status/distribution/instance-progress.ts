import type { ObjectKey } from '../../config/object.js';
import type { Rejection } from '../conditions/object-facts.js';

/** How far one object has come at one instance of the control plane. */
export interface ObjectProgress {
  /** The object's generation; its resource version where it has none. Equal at all instances for equal content. */
  readonly version: string;
  /** Proxies connected to the instance that the object concerns. */
  readonly proxies: number;
  readonly ackedProxies: number;
  readonly policyServers: number;
  readonly ackedPolicyServers: number;
  readonly rejections: readonly Rejection[];
}

/** Whether proxies ask for checks: `changing` while a proxy has not acknowledged the newest mesh config. */
export type ChecksProgress = 'on' | 'off' | 'changing';

/** What one instance of the control plane knows about distribution. */
export interface InstanceProgress {
  /** All proxies that are connected to it. */
  readonly proxies: number;
  /** Policy servers of their own process that subscribe to it. */
  readonly policyServers: number;
  readonly objects: ReadonlyMap<ObjectKey, ObjectProgress>;
  /** Whether policies are checked, by the mesh config and at all proxies; absent in reports of older versions. */
  readonly checks?: ChecksProgress;
}
