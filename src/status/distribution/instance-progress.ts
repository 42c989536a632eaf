import type { ObjectKey } from '../../config/object.js';
import type { Rejection } from '../conditions/object-facts.js';

/** The distribution of one object at one instance of the control plane. */
export interface ObjectProgress {
  /** The object's generation, or its resource version if it has none. Equal at all instances for equal content. */
  readonly version: string;
  /** Proxies connected to the instance that need the object. */
  readonly proxies: number;
  readonly ackedProxies: number;
  readonly policyServers: number;
  readonly ackedPolicyServers: number;
  readonly rejections: readonly Rejection[];
}

/** Whether proxies send checks: `changing` until all proxies have acknowledged the newest mesh config. */
export type ChecksProgress = 'on' | 'off' | 'changing';

/** The distribution of all objects at one instance of the control plane. */
export interface InstanceProgress {
  /** All connected proxies. */
  readonly proxies: number;
  /** Subscribed `navigator-policy` processes. */
  readonly policyServers: number;
  readonly objects: ReadonlyMap<ObjectKey, ObjectProgress>;
  /** Whether proxies check policies; absent in reports of older versions. */
  readonly checks?: ChecksProgress;
}
