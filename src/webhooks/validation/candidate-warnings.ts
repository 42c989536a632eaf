import type { Clock } from '../../base/clock.js';
import type { MeshObject } from '../../config/object.js';
import type { PushContext } from '../../model/push-context.js';
import { canDiffer, type Enforcement } from '../../status/analysis/analysis-input.js';
import type { AnalysisMessage } from '../../status/analysis/analysis-message.js';
import { type CandidateAnalysis, createCandidateAnalysis } from '../../status/analysis/candidate/analyze-candidate.js';
import { MESSAGE_CODES } from '../../status/analysis/message-codes.js';
import { messageLine } from './warning-lines.js';

/** What is legal but suspicious about an object that is about to be applied. */
export interface CandidateWarnings {
  /** Takes the newest snapshot. Before the first there are no warnings. */
  observe(context: PushContext): void;
  /**
   * One line each. Where something is missing, it may have been applied a moment before: then the next snapshots are
   * waited for, up to `catchUpMs`.
   *
   * @param isNew there is no old version of it
   */
  warningsOf(
    candidate: MeshObject,
    isNew: boolean,
    signal: AbortSignal,
  ): readonly string[] | Promise<readonly string[]>;
}

export interface CandidateWarningsOptions {
  readonly clock: Clock;
  /** As it is at the time of the call. */
  readonly enforcement: () => Enforcement;
  /** Default 500 ms: some times what a snapshot takes after a change. */
  readonly catchUpMs?: number;
  /** Requests that wait at once; more are answered at once. Default 32. */
  readonly maxWaiting?: number;
}

const MISSING: readonly string[] = [MESSAGE_CODES.missingReference.code, MESSAGE_CODES.missingService.code];
/** A binding usually follows its spec in the same file. */
const UNBOUND: string = MESSAGE_CODES.unboundSpec.code;

export function createCandidateWarnings(options: CandidateWarningsOptions): CandidateWarnings {
  const { clock, enforcement, catchUpMs = 500, maxWaiting = 32 } = options;
  let newest: { readonly context: PushContext; readonly analysis: CandidateAnalysis } | undefined;
  const waiting = new Set<() => void>();

  const messagesOf = (candidate: MeshObject): readonly AnalysisMessage[] =>
    newest?.analysis(candidate, enforcement()) ?? [];

  return {
    observe: (context) => {
      const isNews = newest === undefined || canDiffer(newest.context, context);
      // Also where nothing that matters has changed: an old snapshot, held for long, would hold all that it was made of.
      newest = { context, analysis: createCandidateAnalysis(context) };
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
  return level !== 'Info' && object !== undefined && !(isNew && code === UNBOUND);
}
