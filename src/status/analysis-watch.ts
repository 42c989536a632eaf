import type { Clock } from '../base/clock.js';
import type { Finding } from '../model/finding.js';
import type { CredentialProblem } from '../model/gateways/credential.js';
import type { PushContext } from '../model/push-context.js';
import type { Logger } from '../telemetry/logger.js';
import { canDiffer, type Enforcement } from './analysis/analysis-input.js';
import { type AnalysisMessage, identityOf } from './analysis/analysis-message.js';
import { createIncrementalAnalysis } from './analysis/incremental-analysis.js';
import { listenerConflicts, policiesWithoutListener } from './analysis/listener-conflicts.js';
import { nameSources } from './analysis/name-sources.js';
import { rejectedServers } from './analysis/rejected-servers.js';
import { skippedPatches } from './analysis/skipped-patches.js';
import { unusableCredentials } from './analysis/unusable-credentials.js';
import { type AnalysisMetrics, NO_ANALYSIS_METRICS } from './analysis-metrics.js';
import { createWorkPause } from './work-pause.js';

/** Runs the analysis after a snapshot has changed, outside of the push. */
export interface AnalysisWatch {
  /** Takes a new snapshot. The analysis runs soon after, if the change can alter its messages. */
  observe(context: PushContext): void;
  /** Runs the analysis again, because the configuration of the policy server has changed. */
  enforcementChanged(): void;
  /** The messages about the newest snapshot; an analysis that is due runs first. */
  messages(): readonly AnalysisMessage[];
  /** The messages of the last run, which may be about an earlier snapshot. */
  lastMessages(): readonly AnalysisMessage[];
  stop(): void;
}

/** In place of the analysis while NAV_ENABLE_ANALYSIS is false. */
export const NO_ANALYSIS: AnalysisWatch = {
  observe: () => undefined,
  enforcementChanged: () => undefined,
  messages: () => [],
  lastMessages: () => [],
  stop: () => undefined,
};

/**
 * Logs one line when a message appears and one when it goes away.
 *
 * @param enforcement how policies are enforced, at the time of the call
 * @param generated findings of the generators about the connected proxies, at the time of the call
 * @param credentials that connected routers need and cannot use, at the time of the call
 */
export function createAnalysisWatch(
  logger: Logger,
  clock: Clock,
  enforcement: () => Enforcement,
  generated: () => readonly Finding[],
  credentials: () => readonly CredentialProblem[] = () => [],
  metrics: AnalysisMetrics = NO_ANALYSIS_METRICS,
): AnalysisWatch {
  const work = createWorkPause(clock);
  const analysis = createIncrementalAnalysis(enforcement);
  let analyzed: PushContext | undefined;
  let messages: ReadonlyMap<string, AnalysisMessage> = new Map();
  let pending: { readonly context: PushContext; readonly cancel: () => void; readonly isFollowed: boolean } | undefined;

  const analyzeContext = (context: PushContext): void => {
    analyzed = context;
    const found = new Map(analysis.analyze(context).map((message) => [identityOf(message), message]));
    for (const [identity, message] of found) if (!messages.has(identity)) logAppeared(logger, message);
    for (const [identity, { code, object, field }] of messages) {
      if (!found.has(identity)) logger.info({ code, object, field }, 'analysis message is gone');
    }
    messages = found;
    metrics.published(context);
  };
  const catchUp = (): void => {
    if (pending === undefined) return;
    const { context, cancel } = pending;
    cancel();
    pending = undefined;
    work.run(() => analyzeContext(context));
  };

  const pauseEnded = (): void => {
    metrics.pauseEnded(pending?.isFollowed !== true);
    catchUp();
  };

  const lastMessages = (): readonly AnalysisMessage[] => {
    const findings = generated();
    const conflicts = listenerConflicts(findings);
    const ofProxies = [
      ...conflicts,
      ...rejectedServers(findings, messages.values()),
      ...skippedPatches(findings),
      ...unusableCredentials(credentials()),
      ...(analysis.input === undefined ? [] : policiesWithoutListener(analysis.input, conflicts)),
    ];
    return [...messages.values(), ...nameSources(ofProxies, analysis.input?.objects ?? new Map())];
  };
  const analyzeSoon = (context: PushContext): void => {
    metrics.changed(pending !== undefined);
    const cancel = pending?.cancel ?? clock.schedule(work.pauseMs, pauseEnded);
    pending = { context, cancel, isFollowed: pending !== undefined };
  };

  return {
    observe: (context) => {
      const newest = pending?.context ?? analyzed;
      if (newest === undefined || canDiffer(newest, context)) analyzeSoon(context);
    },
    enforcementChanged: () => {
      analysis.enforcementChanged();
      const newest = pending?.context ?? analyzed;
      if (newest !== undefined) analyzeSoon(newest);
    },
    messages: () => {
      catchUp();
      return lastMessages();
    },
    lastMessages,
    stop: () => {
      pending?.cancel();
      pending = undefined;
    },
  };
}

function logAppeared(logger: Logger, { level, ...fields }: AnalysisMessage): void {
  const { message: reason, ...where } = fields;
  const text = 'analysis found a problem';
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
