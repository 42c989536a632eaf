import type { ObjectKey } from '../../config/object.js';
import type { AnalysisMessage } from '../analysis/analysis-message.js';

/** What is wrong with an object that was not accepted. */
export interface Refusal {
  readonly field?: string;
  /** Names the object, the field, the value and the remedy. */
  readonly reason: string;
}

/** A proxy's refusal of what was made of an object. */
export interface Rejection {
  /** `<workload>.<namespace>` as its node id has it. */
  readonly proxy: string;
  /** `cds`, `lds` and so on. */
  readonly type: string;
  /** As the proxy said it. */
  readonly text: string;
  /** What else may be the cause, for it changed at the same time and the text names neither. */
  readonly others: readonly ObjectKey[];
}

/** How far one generation of an object has come, over all instances of the control plane. */
export interface Progress {
  /** Connected proxies that it concerns. */
  readonly proxies: number;
  /** Of those, the ones that have it. */
  readonly ackedProxies: number;
  /** Policy servers of their own process that subscribe here. */
  readonly policyServers: number;
  readonly ackedPolicyServers: number;
  /** Instances of the control plane that have not read this generation yet. */
  readonly lagging: readonly string[];
  readonly rejections: readonly Rejection[];
}

/** All that the status of one object is made from. */
export interface ObjectFacts {
  readonly key: ObjectKey;
  /** As the API server has it. */
  readonly generation: number;
  /** What the snapshot is made from; undefined when the object is not in it. */
  readonly servedGeneration: number | undefined;
  readonly refusals: readonly Refusal[];
  /** Whether analyzers run (NAV_ENABLE_ANALYSIS). */
  readonly isAnalyzed: boolean;
  /** What analysis found about this object. */
  readonly messages: readonly AnalysisMessage[];
  /** Undefined when distribution is not tracked. */
  readonly progress: Progress | undefined;
  /** Settings of the control plane whose present content is refused, each with its place and the reason; default none. */
  readonly refusedSettings?: readonly string[];
}
