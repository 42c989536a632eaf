import type { Clock } from '../../base/clock.js';
import type { ObjectKey } from '../../config/object.js';
import type { Logger } from '../../telemetry/logger.js';
import type { AnalysisMessage } from '../analysis/analysis-message.js';
import type { ObjectStatus } from '../conditions/condition.js';
import type { ObjectFacts, Refusal } from '../conditions/object-facts.js';
import {
  complaintsOf,
  isInPlace,
  judgeObject,
  nextConditions,
  objectStatus,
  proxiesPhrase,
  validationMessagesOf,
} from '../conditions/object-status.js';
import { createWorkPause } from '../work-pause.js';
import { type Complaint, EVENT_HOLD_MS, type EventWriter } from './event-writer.js';
import type { ObservedObject, ObservedObjects } from './observed-objects.js';
import type { StatusWriter } from './status-writer.js';

/** Facts about objects from the rest of the process. */
export interface StatusFacts {
  servedGeneration(key: ObjectKey): number | undefined;
  refusals(key: ObjectKey): readonly Refusal[];
  messages(key: ObjectKey): readonly AnalysisMessage[];
  /** Undefined if distribution is not tracked. */
  progress(key: ObjectKey, generation: number): ObjectFacts['progress'];
  /** Settings of the control plane whose content is refused; the same for all objects. */
  readonly refusedSettings?: readonly string[];
}

export interface StatusLoopOptions {
  readonly objects: ObservedObjects;
  readonly writer: StatusWriter;
  readonly events: EventWriter;
  /** Complaints about objects without a status, such as ConfigMaps. */
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

/** Keeps the statuses in the cluster equal to the facts. Runs only on the leader. */
export interface StatusLoop {
  /** Something may have changed. */
  changed(): void;
  start(): void;
  stop(): Promise<void>;
}

/** Changes within this time are written together. */
const PERIOD_MS = 200;
/** Reports become stale, and refused kinds may be tried again, without an event. */
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
    const judged = judgeObject(found);
    if (judged === undefined) return undefined;
    const { apiVersion, definition, namespace, name, uid } = object;
    for (const { reason, message } of complaintsOf(judged)) {
      complaints.push({ apiVersion, kind: definition.kind, namespace, name, uid, reason, message });
    }
    return objectStatus(
      options.hasConditions
        ? {
            conditions: nextConditions(judged, generation, status.conditions ?? [], clock.now()),
            proxies: proxiesPhrase(found.progress),
          }
        : undefined,
      options.hasMessages ? validationMessagesOf(found.messages) : undefined,
    );
  };

  /**
   * Compares all objects. Returns when to compare again: soon if a write is under way, a little later if a complaint
   * may end by itself.
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
      logger.error({ err }, 'comparing statuses failed');
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
