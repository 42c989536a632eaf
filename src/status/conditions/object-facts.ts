import type { ObjectKey } from '../../config/object.js';
import type { AnalysisMessage } from '../analysis/analysis-message.js';

/** A reason why an object is not accepted. */
export interface Refusal {
  readonly field?: string;
  /** The problem with object, field, value and remedy. */
  readonly reason: string;
}

/** A proxy rejected the configuration that was made from an object. */
export interface Rejection {
  /** `<workload>.<namespace>`, from its node ID. */
  readonly proxy: string;
  /** Short name of the xDS type: `cds`, `lds` and so on. */
  readonly type: string;
  /** The error of the proxy. */
  readonly text: string;
  /** Other possible causes: objects that changed at the same time, if the text names none of them. */
  readonly others: readonly ObjectKey[];
}

/** The distribution of one generation of an object, over all instances of the control plane. */
export interface Progress {
  /** Connected proxies that need the object. */
  readonly proxies: number;
  /** Those of them that have acknowledged it. */
  readonly ackedProxies: number;
  /** Subscribed `navigator-policy` processes. */
  readonly policyServers: number;
  readonly ackedPolicyServers: number;
  /** Instances of the control plane that have not read this generation yet. */
  readonly lagging: readonly string[];
  readonly rejections: readonly Rejection[];
}

/** The facts from which the status of one object is made. */
export interface ObjectFacts {
  readonly key: ObjectKey;
  /** The generation at the API server. */
  readonly generation: number;
  /** The generation in the snapshot; undefined if the snapshot does not contain the object. */
  readonly servedGeneration: number | undefined;
  readonly refusals: readonly Refusal[];
  /** Whether analyzers run (NAV_ENABLE_ANALYSIS). */
  readonly isAnalyzed: boolean;
  /** The messages of analysis about this object. */
  readonly messages: readonly AnalysisMessage[];
  /** Undefined if distribution is not tracked. */
  readonly progress: Progress | undefined;
  /** Settings of the control plane whose present content is invalid, each with place and reason. Default none. */
  readonly refusedSettings?: readonly string[];
}
