import type { ElectionTiming } from '../../kubernetes/election/leader-election.js';

/** The flags and variables that statuses depend on. */
export interface StatusSettings {
  /** NAV_ENABLE_STATUS: conditions are written. */
  readonly hasConditions: boolean;
  /** NAV_ENABLE_ANALYSIS: validation messages are written. */
  readonly hasMessages: boolean;
  /** Whether `--plugins` names `policy`. */
  readonly isPluginOn: boolean;
  /** NAV_STATUS_QPS */
  readonly perSecond: number;
  /** NAV_STATUS_BURST */
  readonly burst: number;
  /** The control plane's own namespace, with the Lease and the reports. */
  readonly namespace: string;
  /** `--appNamespace` with the control plane's own; empty for all namespaces. */
  readonly appNamespaces: readonly string[];
  /** POD_NAME; empty outside of a pod. */
  readonly podName: string;
  /** The pod of this process, if it is in the cluster and namespace that are written to. */
  readonly pod?: { readonly name: string; readonly uid: string } | undefined;
  /** REVISION; its own objects have a leader of this revision. */
  readonly revision: string;
  /** Default: the times of docs/reference/sources.md#leader-locks. */
  readonly election?: ElectionTiming;
}
