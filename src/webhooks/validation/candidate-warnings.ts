import type { Clock } from '../../base/clock.js';
import type { MeshObject } from '../../config/object.js';
import type { PushContext } from '../../model/push-context.js';
import { canDiffer, createAnalysisMemory, type Enforcement } from '../../status/analysis/analysis-input.js';
import type { AnalysisMessage } from '../../status/analysis/analysis-message.js';
import { type CandidateAnalysis, createCandidateAnalysis } from '../../status/analysis/candidate/analyze-candidate.js';
import { MESSAGE_CODES } from '../../status/analysis/message-codes.js';
import { messageLine } from './warning-lines.js';

/** Warnings about a valid object that looks wrong or has no effect, before it is applied. */
export interface CandidateWarnings {
  /** Takes the newest snapshot. Before the first one there are no warnings. */
  observe(context: PushContext): void;
  /**
   * Returns one line for each warning. A missing object may have been applied just before: the method then waits for
   * the next snapshots, up to `catchUpMs`.
   *
   * @param isNew whether the candidate has no old version
   */
  warningsOf(
    candidate: MeshObject,
    isNew: boolean,
    signal: AbortSignal,
  ): readonly string[] | Promise<readonly string[]>;
}

export interface CandidateWarningsOptions {
  readonly clock: Clock;
  /** The facts at the time of the call. */
  readonly enforcement: () => Enforcement;
  /** Default 500 ms: several times the delay of a snapshot after a change. */
  readonly catchUpMs?: number;
  /** Requests that may wait at the same time; further requests are answered immediately. Default 32. */
  readonly maxWaiting?: number;
}

const MISSING: readonly string[] = [MESSAGE_CODES.missingReference.code, MESSAGE_CODES.missingService.code];
/** Not reported for a new spec or plan: its binding or Consumer usually follows in the same file. */
const UNBOUND: readonly string[] = [MESSAGE_CODES.unboundSpec.code, MESSAGE_CODES.planWithoutConsumers.code];

export function createCandidateWarnings(options: CandidateWarningsOptions): CandidateWarnings {
  const { clock, enforcement, catchUpMs = 500, maxWaiting = 32 } = options;
  let newest: { readonly context: PushContext; readonly analysis: CandidateAnalysis } | undefined;
  const memory = createAnalysisMemory();
  const waiting = new Set<() => void>();

  const messagesOf = (candidate: MeshObject): readonly AnalysisMessage[] =>
    newest?.analysis(candidate, enforcement()) ?? [];

  return {
    observe: (context) => {
      const isNews = newest === undefined || canDiffer(newest.context, context);
      // Also without a relevant change: an old snapshot would keep all its objects in memory.
      newest = { context, analysis: createCandidateAnalysis(context, memory) };
      if (isNews) for (const look of waiting) look();
    },
    warningsOf: (candidate, isNew, signal) => {
      const lines = (messages: readonly AnalysisMessage[]): readonly string[] =>
        messages.filter((message) => isOfConcern(message, isNew)).map(messageLine);
      const messages = messagesOf(candidate);
      if (!messages.some(isMissing) || waiting.size >= maxWaiting || signal.aborted) return lines(messages);
      return new Promise((resolve, reject) => {
        const finish = (): void => {
          cancel();
          waiting.delete(look);
          signal.removeEventListener('abort', finish);
          try {
            resolve(lines(messagesOf(candidate)));
          } catch (error) {
            reject(error);
          }
        };
        const look = (): void => {
          if (!messagesOf(candidate).some(isMissing)) finish();
        };
        const cancel = clock.schedule(catchUpMs, finish);
        waiting.add(look);
        signal.addEventListener('abort', finish);
      });
    },
  };
}

function isMissing({ code }: AnalysisMessage): boolean {
  return MISSING.includes(code);
}

function isOfConcern({ code, level, object }: AnalysisMessage, isNew: boolean): boolean {
  return level !== 'Info' && object !== undefined && !(isNew && UNBOUND.includes(code));
}
