import type { PushContext } from '../../model/push-context.js';
import {
  analysisInputOf,
  createAnalysisMemory,
  differsBeyondEndpoints,
  type EndpointAnalysisInput,
  type Enforcement,
  workloadsDiffer,
} from './analysis-input.js';
import { type AnalysisMessage, sortMessages } from './analysis-message.js';
import { analyze, ENDPOINT_ANALYZERS, SNAPSHOT_ANALYZERS, WORKLOAD_ANALYZERS } from './analyze.js';
import { createTrafficIndex } from './traffic/traffic-index.js';

/**
 * Analyzes one snapshot after another. Endpoints change far more often than policies and services: after a change of
 * endpoints alone, only the analyzers that read endpoints run again; likewise for workloads.
 */
export interface IncrementalAnalysis {
  /** The messages about a snapshot; sorted. */
  analyze(context: PushContext): readonly AnalysisMessage[];
  /** The enforcement has changed, so the next analysis runs all analyzers. */
  enforcementChanged(): void;
  /** The input of the last analysis; undefined before the first. */
  readonly input: EndpointAnalysisInput | undefined;
}

interface LastAnalysis {
  readonly context: PushContext;
  readonly input: EndpointAnalysisInput;
  /** The messages of analyzers that read no endpoints. */
  readonly ofSnapshot: readonly AnalysisMessage[];
  readonly ofWorkloads: readonly AnalysisMessage[];
}

/** @param enforcement how policies are enforced, at the time of the call */
export function createIncrementalAnalysis(enforcement: () => Enforcement): IncrementalAnalysis {
  let last: LastAnalysis | undefined;
  let isEnforcementNew = false;
  const memory = createAnalysisMemory();

  return {
    analyze: (context) => {
      if (last === undefined || isEnforcementNew || differsBeyondEndpoints(last.context, context)) {
        const input = analysisInputOf(context, enforcement(), memory);
        const ofSnapshot = analyze(input, SNAPSHOT_ANALYZERS);
        last = { context, input, ofSnapshot, ofWorkloads: analyze(input, WORKLOAD_ANALYZERS) };
        isEnforcementNew = false;
      } else if (workloadsDiffer(last.context, context)) {
        const traffic = createTrafficIndex(context, memory.traffic, last.input.enforcement);
        const input = { ...last.input, objects: context.objects, traffic };
        last = { ...last, input, ofWorkloads: analyze(input, WORKLOAD_ANALYZERS) };
      }
      const input = { ...last.input, endpoints: context.endpoints };
      // Without the old snapshot, whose endpoints would stay in memory.
      last = { ...last, context, input };
      return sortMessages([...last.ofSnapshot, ...last.ofWorkloads, ...analyze(input, ENDPOINT_ANALYZERS)]);
    },
    enforcementChanged: () => {
      isEnforcementNew = true;
    },
    get input() {
      return last?.input;
    },
  };
}
