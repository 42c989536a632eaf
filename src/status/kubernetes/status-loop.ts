import type { Clock } from '../../base/clock.js';
import type { ObjectKey } from '../../config/object.js';
import type { Logger } from '../../telemetry/logger.js';
import type { AnalysisMessage } from '../analysis/analysis-message.js';
import { complaintsOf } from '../conditions/complaints.js';
import type { ObjectStatus } from '../conditions/condition.js';
import type { ObjectFacts, Refusal } from '../conditions/object-facts.js';
import { isInPlace, judgeObject, nextConditions, objectStatus } from '../conditions/object-status.js';
import { proxiesPhrase } from '../conditions/proxies-phrase.js';
import { validationMessagesOf } from '../conditions/validation-messages.js';
import { createWorkPause } from '../work-pause.js';
import { type Complaint, EVENT_HOLD_MS, type EventWriter } from './event-writer.js';
import type { ObservedObject, ObservedObjects } from './observed-objects.js';
import type { StatusWriter } from './status-writer.js';

/** What the rest of the process knows about objects. */
export interface StatusFacts {
  servedGeneration(key: ObjectKey): number | undefined;
  refusals(key: ObjectKey): readonly Refusal[];
  messages(key: ObjectKey): readonly AnalysisMessage[];
  /** Undefined when distribution is not tracked. */
  progress(key: ObjectKey, generation: number): ObjectFacts['progress'];
  /** Of the control plane; the same for all objects. */
  readonly refusedSettings?: readonly string[];
}

export interface StatusLoopOptions {
  readonly objects: ObservedObjects;
  readonly writer: StatusWriter;
  readonly events: EventWriter;
  /** Complaints about objects that have no status of ours. */
  readonly complaints: () => readonly Complaint[];
  /** The facts as they are at the time of the call. */
  readonly facts: () => StatusFacts;
  /** NAV_ENABLE_STATUS: conditions are written. */
  readonly hasConditions: boolean;
  /** NAV_ENABLE_ANALYSIS: validation messages are written. */
  readonly hasMessages: boolean;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Keeps the statuses in the cluster as the facts are. Works on the instance that leads alone. */
export interface StatusLoop {
  /** Something may have changed. */
  changed(): void;
  start(): void;
  stop(): Promise<void>;
}

/** Changes of this long are written together (BEHAVIOUR 8, "Status"). */
const PERIOD_MS = 200;
/** Reports become stale, and refusals may be over, without anybody saying so. */
const RESYNC_MS = 10_000;

export function createStatusLoop(options: StatusLoopOptions): StatusLoop {
  const { objects, writer, clock, logger } = options;
  let isRunning = false;
  let isScheduled = false;
  const work = createWorkPause(clock);
  let cancel = (): void => undefined;

  const desiredOf = (object: ObservedObject, facts: StatusFacts, complaints: Complaint[]): ObjectStatus | undefined => {
    const { key, generation, status } = object;
    const found: ObjectFacts = {
      key,
      generation,
      servedGeneration: facts.servedGeneration(key),
      refusals: facts.refusals(key),
      isAnalyzed: options.hasMessages,
      messages: facts.messages(key),
      progress: facts.progress(key, generation),
      ...(facts.refusedSettings && { refusedSettings: facts.refusedSettings }),
    };
    const verdicts = judgeObject(found);
    if (verdicts === undefined) return undefined;
    const { apiVersion, definition, namespace, name, uid } = object;
    for (const { reason, message } of complaintsOf(verdicts)) {
      complaints.push({ apiVersion, kind: definition.kind, namespace, name, uid, reason, message });
    }
    return objectStatus(
      options.hasConditions
        ? {
            conditions: nextConditions(verdicts, generation, status.conditions ?? [], clock.now()),
            proxies: proxiesPhrase(found.progress),
          }
        : undefined,
      options.hasMessages ? validationMessagesOf(found.messages) : undefined,
    );
  };

  /**
   * Looks at all objects; says when to look again: soon where a write is being answered, a little later where a
   * complaint may pass by itself.
   */
  const compareAll = (): 'soon' | 'later' | 'seldom' => {
    let isPending = false;
    const complaints = [...options.complaints()];
    const facts = options.facts();
    for (const object of objects.all()) {
      const desired = desiredOf(object, facts, complaints);
      if (writer.isWriting(object.key)) {
        isPending = true;
        continue;
      }
      if (desired === undefined) continue;
      if (isInPlace(desired, object.status)) writer.drop(object.key);
      else writer.write(object.key, desired);
    }
    const isWaiting = options.events.update(complaints);
    if (isPending) return 'soon';
    return isWaiting ? 'later' : 'seldom';
  };

  const compare = (): void => {
    isScheduled = false;
    let again: ReturnType<typeof compareAll> = 'seldom';
    try {
      again = work.run(compareAll);
    } catch (err) {
      logger.error({ err }, 'Statuses could not be compared with what they should be');
    }
    if (again === 'soon') schedule();
    else cancel = clock.schedule(again === 'later' ? EVENT_HOLD_MS : RESYNC_MS, compare);
  };

  const schedule = (): void => {
    if (!isRunning || isScheduled) return;
    isScheduled = true;
    cancel();
    cancel = clock.schedule(Math.max(PERIOD_MS, work.pauseMs), compare);
  };

  return {
    changed: schedule,
    start: () => {
      isRunning = true;
      schedule();
    },
    stop: async () => {
      isRunning = false;
      isScheduled = false;
      cancel();
      await writer.pause();
    },
  };
}
