import type { PushContext } from '../../model/push-context.js';
import {
  analysisInputOf,
  differsBeyondEndpoints,
  type EndpointAnalysisInput,
  type Enforcement,
} from './analysis-input.js';
import { type AnalysisMessage, sortMessages } from './analysis-message.js';
import { analyze, ENDPOINT_ANALYZERS, SNAPSHOT_ANALYZERS } from './analyze.js';
import { createWorkloadLabels } from './workload-labels.js';

/**
 * Analyzes one snapshot after another. Endpoints change far more often than policies and services: after a change of
 * endpoints alone, only the analyzers that read endpoints run again.
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
}

/** @param enforcement how policies are enforced, at the time of the call */
export function createIncrementalAnalysis(enforcement: () => Enforcement): IncrementalAnalysis {
  let last: LastAnalysis | undefined;
  let isEnforcementNew = false;
  const workloadLabelsOf = createWorkloadLabels();

  return {
    analyze: (context) => {
      if (last === undefined || isEnforcementNew || differsBeyondEndpoints(last.context, context)) {
        const input = analysisInputOf(context, enforcement(), workloadLabelsOf);
        last = { context, input, ofSnapshot: analyze(input, SNAPSHOT_ANALYZERS) };
        isEnforcementNew = false;
      }
      const input = { ...last.input, endpoints: context.endpoints };
      // Without the old snapshot, whose endpoints would stay in memory.
      last = { ...last, context, input };
      return sortMessages([...last.ofSnapshot, ...analyze(input, ENDPOINT_ANALYZERS)]);
    },
    enforcementChanged: () => {
      isEnforcementNew = true;
    },
    get input() {
      return last?.input;
    },
  };
}
