import { type Backoff, createBackoff } from '../../../base/backoff.js';
import type { Clock } from '../../../base/clock.js';
import type { RpcCode } from '../../../base/rpc-code.js';
import type { ReportBudget } from './report-budget.js';

/** Reports of one template that are sent together. */
export interface ReportBatch<Kind> {
  readonly kind: Kind;
  /** Encoded. */
  readonly instances: readonly Uint8Array[];
  /** Equal for all attempts, so that an adapter can tell a repeated batch. */
  readonly dedupId: string;
}

/** Reports that wait for their adapter. */
export interface ReportQueue<Kind> {
  /** Takes reports, and tries to send them until the adapter has them. Those without room are lost at once. */
  add(kind: Kind, instances: readonly Uint8Array[]): void;
  /** The adapter can be reached again: tries now what waits for its next attempt. */
  retryNow(): void;
  /** Settles when all reports are sent, or lost because the time is over. */
  close(maxMs: number): Promise<void>;
}

export interface ReportQueueOptions<Kind> {
  /** Rejects when the adapter has not taken the batch. */
  readonly send: (batch: ReportBatch<Kind>) => Promise<void>;
  /** What a rejection of `send` means for further attempts. */
  readonly codeOf: (error: unknown) => RpcCode;
  readonly budget: ReportBudget;
  /** Makes an id that no other batch has. */
  readonly createId: () => string;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly onSent: (reports: number) => void;
  readonly onLost: (reports: number, error: Error) => void;
}

/** Bytes of the reports of one handler. */
const MAX_BYTES = 8 * 1024 * 1024;
/** What an instance takes beside its bytes. */
const INSTANCE_BYTES = 64;
/** Bytes of a batch, below those of a message. */
const BATCH_BYTES = 1024 * 1024;
/** An adapter that is down for longer loses reports. */
const MAX_AGE_MS = 10 * 60_000;
/** Answers after which an attempt makes sense that may also be the adapter's mistake about the reports. */
const MAX_DOUBTFUL_ATTEMPTS = 5;
const MAX_CONCURRENT = 4;
const FIRST_RETRY_MS = 100;
const MAX_RETRY_MS = 5000;

/** The adapter has not got the call, or not answered it: the reports cannot be the reason. */
const UNREACHED: ReadonlySet<RpcCode> = new Set([
  'UNAVAILABLE',
  'DEADLINE_EXCEEDED',
  'UNAUTHENTICATED',
  'RESOURCE_EXHAUSTED',
]);
/** The same call would get the same answer. */
const FINAL: ReadonlySet<RpcCode> = new Set(['INVALID_ARGUMENT', 'UNIMPLEMENTED', 'PERMISSION_DENIED', 'OUT_OF_RANGE']);

interface Waiting<Kind> {
  readonly batch: ReportBatch<Kind>;
  readonly bytes: number;
  readonly untilMs: number;
  readonly backoff: Backoff;
  doubtfulAttempts: number;
}

export function createReportQueue<Kind>(options: ReportQueueOptions<Kind>): ReportQueue<Kind> {
  const { send, codeOf, budget, createId, clock, random, onSent, onLost } = options;
  const ready: Waiting<Kind>[] = [];
  /** Batches that wait for their next attempt, with what cancels it. */
  const resting = new Map<Waiting<Kind>, () => void>();
  let sending = 0;
  let bytes = 0;
  let isOver = false;
  let onEmpty: (() => void) | undefined;

  const end = (waiting: Waiting<Kind>): void => {
    bytes -= waiting.bytes;
    budget.giveBack(waiting.bytes);
    if (bytes === 0) onEmpty?.();
  };
  const lose = (waiting: Waiting<Kind>, error: Error): void => {
    onLost(waiting.batch.instances.length, error);
    end(waiting);
  };
  const retry = (waiting: Waiting<Kind>): void => {
    resting.delete(waiting);
    ready.push(waiting);
  };
  const failed = (waiting: Waiting<Kind>, error: Error): void => {
    const code = codeOf(error);
    if (!UNREACHED.has(code)) waiting.doubtfulAttempts++;
    const isHopeless = FINAL.has(code) || waiting.doubtfulAttempts >= MAX_DOUBTFUL_ATTEMPTS;
    if (isOver || isHopeless || clock.monotonicMs() >= waiting.untilMs) {
      lose(waiting, isOver ? closed() : error);
      return;
    }
    const cancel = clock.schedule(waiting.backoff.nextMs(), () => {
      retry(waiting);
      work();
    });
    resting.set(waiting, cancel);
  };
  const sendOne = async (waiting: Waiting<Kind>): Promise<void> => {
    try {
      await send(waiting.batch);
      onSent(waiting.batch.instances.length);
      end(waiting);
    } catch (error) {
      failed(waiting, error instanceof Error ? error : new Error('the adapter did not take the reports'));
    }
  };
  const work = (): void => {
    while (sending < MAX_CONCURRENT) {
      const waiting = ready.shift();
      if (waiting === undefined) return;
      sending++;
      void sendOne(waiting).finally(() => {
        sending--;
        work();
      });
    }
  };

  return {
    add: (kind, instances) => {
      for (const part of partsOf(instances)) {
        const size = part.reduce((sum, { length }) => sum + length + INSTANCE_BYTES, 0);
        const isFull = bytes + size > MAX_BYTES;
        if (isOver || isFull || !budget.take(size)) {
          onLost(part.length, new Error(isOver ? 'the handler is closed' : 'too many reports wait for the adapter'));
          continue;
        }
        bytes += size;
        ready.push({
          batch: { kind, instances: part, dedupId: createId() },
          bytes: size,
          untilMs: clock.monotonicMs() + MAX_AGE_MS,
          backoff: createBackoff({ initialMs: FIRST_RETRY_MS, maxMs: MAX_RETRY_MS, random }),
          doubtfulAttempts: 0,
        });
      }
      work();
    },
    retryNow: () => {
      for (const [waiting, cancel] of resting) {
        cancel();
        retry(waiting);
      }
      work();
    },
    close: async (maxMs) => {
      if (bytes > 0) {
        await new Promise<void>((resolve) => {
          const cancel = clock.schedule(maxMs, resolve);
          onEmpty = () => {
            cancel();
            resolve();
          };
        });
      }
      isOver = true;
      for (const waiting of ready.splice(0)) lose(waiting, closed());
      for (const [waiting, cancel] of resting) {
        cancel();
        lose(waiting, closed());
      }
      resting.clear();
    },
  };
}

function closed(): Error {
  return new Error('the handler was closed before the adapter took them');
}

/** Parts with few enough bytes for a message. */
function partsOf(instances: readonly Uint8Array[]): readonly (readonly Uint8Array[])[] {
  const parts: Uint8Array[][] = [];
  let part: Uint8Array[] = [];
  let size = 0;
  for (const instance of instances) {
    if (part.length > 0 && size + instance.length > BATCH_BYTES) {
      parts.push(part);
      part = [];
      size = 0;
    }
    part.push(instance);
    size += instance.length;
  }
  return part.length > 0 ? [...parts, part] : parts;
}
