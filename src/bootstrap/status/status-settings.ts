import type { ElectionTiming } from '../../kubernetes/election/leader-election.js';

/**
 * What status depends on of docs/configuration.md#flags-of-discovery and docs/configuration.md#environment-variables.
 */
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
  /** The control plane's own namespace, where Lease and reports are. */
  readonly namespace: string;
  /** `--appNamespace` with the control plane's own; empty for all namespaces. */
  readonly appNamespaces: readonly string[];
  /** POD_NAME; empty when this is no pod. */
  readonly podName: string;
  /** The pod that this process is, where it is one of the cluster and namespace that it writes to. */
  readonly pod?: { readonly name: string; readonly uid: string } | undefined;
  /** REVISION; each has a leader of its own. */
  readonly revision: string;
  /** Tests shorten it. */
  readonly election?: ElectionTiming;
}
