import type { Clock } from '../base/clock.js';
import type { ConfigProblem } from '../introspection/views.js';
import type { Finding } from '../model/finding.js';
import type { PushContext } from '../model/push-context.js';
import { type AnalysisInput, analysisInputOf, canDiffer, type Enforcement } from '../status/analysis/analysis-input.js';
import { type AnalysisMessage, identityOf } from '../status/analysis/analysis-message.js';
import { analyze } from '../status/analysis/analyze.js';
import { listenerConflicts, policiesWithoutListener } from '../status/analysis/listener-conflicts.js';
import type { Logger } from '../telemetry/logger.js';

/** Keeps the messages of analysis up with the snapshot, outside the way of a push. */
export interface AnalysisWatch {
  /** Takes a new snapshot; it is analyzed soon after, and only when it can make a difference. */
  observe(context: PushContext): void;
  /** Takes what has become of the policy server's configuration. */
  enforcementChanged(): void;
  /** What the newest snapshot has to say. */
  messages(): readonly AnalysisMessage[];
  /** The same, for debug pages. */
  problems(): readonly ConfigProblem[];
  stop(): void;
}

/** While NAV_ENABLE_ANALYSIS is false: no analyzer runs, and nothing is claimed. */
export const NO_ANALYSIS: AnalysisWatch = {
  observe: () => undefined,
  enforcementChanged: () => undefined,
  messages: () => [],
  problems: () => [],
  stop: () => undefined,
};

/** Pause before the next analysis, by the time that the last one took, so that a stream of changes leaves room for others. */
const PAUSE_BY_WORK = 4;

/**
 * Logs one line when a message appears and one when it goes away.
 *
 * @param enforcement as it is at the time of the call
 * @param generated what generation found for the connected proxies, at the time of the call
 */
export function createAnalysisWatch(
  logger: Logger,
  clock: Clock,
  enforcement: () => Enforcement,
  generated: () => readonly Finding[],
): AnalysisWatch {
  let analyzed: PushContext | undefined;
  let messages: ReadonlyMap<string, AnalysisMessage> = new Map();
  let input: AnalysisInput | undefined;
  let tookMs = 0;
  let pending: { readonly context: PushContext; readonly cancel: () => void } | undefined;

  const catchUp = (): void => {
    if (pending === undefined) return;
    const { context, cancel } = pending;
    cancel();
    pending = undefined;
    const startMs = clock.monotonicMs();
    analyzed = context;
    input = analysisInputOf(context, enforcement());
    const found = new Map(analyze(input).map((message) => [identityOf(message), message]));
    for (const [identity, message] of found) if (!messages.has(identity)) logAppeared(logger, message);
    for (const [identity, { code, object, field }] of messages) {
      if (!found.has(identity)) logger.info({ code, object, field }, 'Analysis message is gone');
    }
    messages = found;
    tookMs = clock.monotonicMs() - startMs;
  };

  const present = (): readonly AnalysisMessage[] => {
    catchUp();
    const conflicts = listenerConflicts(generated());
    return [
      ...messages.values(),
      ...conflicts,
      ...(input === undefined ? [] : policiesWithoutListener(input, conflicts)),
    ];
  };
  const analyzeSoon = (context: PushContext): void => {
    const cancel = pending?.cancel ?? clock.schedule(PAUSE_BY_WORK * tookMs, catchUp);
    pending = { context, cancel };
  };

  return {
    observe: (context) => {
      const newest = pending?.context ?? analyzed;
      if (newest === undefined || canDiffer(newest, context)) analyzeSoon(context);
    },
    enforcementChanged: () => {
      const newest = pending?.context ?? analyzed;
      if (newest !== undefined) analyzeSoon(newest);
    },
    messages: present,
    problems: () => present().map(({ message, ...rest }) => ({ ...rest, reason: message })),
    stop: () => {
      pending?.cancel();
      pending = undefined;
    },
  };
}

function logAppeared(logger: Logger, { level, ...fields }: AnalysisMessage): void {
  const { message: reason, ...where } = fields;
  const text = 'Analysis found a problem';
  switch (level) {
    case 'Error':
      logger.error({ ...where, reason }, text);
      return;
    case 'Warn':
      logger.warn({ ...where, reason }, text);
      return;
    case 'Info':
      logger.info({ ...where, reason }, text);
  }
}
