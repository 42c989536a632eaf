import type { Clock } from '../../base/clock.js';
import type { LaneRefusal, QueueOutcome, WaitingReview } from './review-queue.js';
import { createWorkPace, type WorkPace } from './work-pace.js';

export interface ReviewLaneOptions {
  readonly clock: Clock;
  readonly maxWaitMs: number;
  /** Maximum number of running reviews. */
  readonly slots: number;
  /** Maximum number of waiting reviews. */
  readonly maxWaiting: number;
  /** Estimated total of running reviews. A larger review runs alone. */
  readonly maxParsedBytes: number;
  /** Estimated maximum of one review. Default: no limit. */
  readonly maxParsedBytesEach?: number;
}

/** Reviews that compete for their turn. */
export interface ReviewLane {
  /** Whether the lane would reject a further review of this address. */
  isFull(source: string): boolean;
  run<Result>(review: WaitingReview, work: (pace: WorkPace) => Promise<Result>): Promise<QueueOutcome<Result>>;
}

type Turn = 'turn' | LaneRefusal | 'gone';

interface Place {
  readonly review: WaitingReview;
  readonly parsedBytes: number;
  /** Ends the wait. */
  leave(outcome: Turn): void;
}

/** Number of addresses whose last turn is stored. */
const MAX_SOURCES = 4096;

/**
 * The address whose last turn is the longest ago is next, with its smallest review. A full lane rejects reviews of the
 * address that has the most.
 */
export function createReviewLane(options: ReviewLaneOptions): ReviewLane {
  const { clock, maxWaitMs, slots, maxWaiting, maxParsedBytes } = options;
  const pace = createWorkPace(clock);
  const waiting = new Set<Place>();
  /** Number of the last turn of each address. */
  const lastTurns = new Map<string, number>();
  let turns = 0;
  let running = 0;
  let parsedBytes = 0;

  const waitingOf = (source: string): number => {
    let count = 0;
    for (const { review } of waiting) if (review.caller.source === source) count++;
    return count;
  };
  /** The newest review of the address with the most, if that address has more than the given one. */
  const displacedBy = (source: string): Place | undefined => {
    let found: Place | undefined;
    let most = waitingOf(source) + 1;
    for (const place of waiting) {
      const count = waitingOf(place.review.caller.source);
      if (count < most || place.review.caller.source === source) continue;
      found = place;
      most = count;
    }
    return found;
  };
  const next = (): Place | undefined => {
    let found: Place | undefined;
    const turnOf = ({ review }: Place): number => lastTurns.get(review.caller.source) ?? -1;
    for (const place of waiting) {
      const turn = turnOf(place);
      const best = found === undefined ? Number.POSITIVE_INFINITY : turnOf(found);
      const isSmaller = turn === best && place.review.bytes < (found?.review.bytes ?? 0);
      if (turn < best || isSmaller) found = place;
    }
    return found;
  };
  const remember = (source: string): void => {
    lastTurns.delete(source);
    lastTurns.set(source, turns++);
    if (lastTurns.size <= MAX_SOURCES) return;
    const [oldest] = lastTurns.keys();
    if (oldest !== undefined) lastTurns.delete(oldest);
  };
  const hasRoom = (bytes: number): boolean => running === 0 || parsedBytes + bytes <= maxParsedBytes;

  const advance = (): void => {
    while (running < slots) {
      const place = next();
      if (place === undefined || !hasRoom(place.parsedBytes)) return;
      place.leave('turn');
    }
  };

  const isFull = (source: string): boolean => waiting.size >= maxWaiting && displacedBy(source) === undefined;
  const makeRoom = (source: string): void => {
    if (waiting.size >= maxWaiting) displacedBy(source)?.leave('queue-full');
  };
  const awaitTurn = (review: WaitingReview, bytes: number): Promise<Turn> =>
    new Promise((resolve) => {
      const place: Place = {
        review,
        parsedBytes: bytes,
        leave: (outcome) => {
          waiting.delete(place);
          cancel();
          review.signal.removeEventListener('abort', gone);
          if (outcome === 'turn') {
            running++;
            parsedBytes += bytes;
            remember(review.caller.source);
          }
          resolve(outcome);
        },
      };
      const gone = (): void => place.leave('gone');
      let cancel = (): void => undefined;
      waiting.add(place);
      review.signal.addEventListener('abort', gone);
      advance();
      if (waiting.has(place)) cancel = clock.schedule(maxWaitMs, () => place.leave('queue-time'));
    });

  return {
    isFull,
    run: async (review, work) => {
      if (review.signal.aborted) return { type: 'gone' };
      if (isFull(review.caller.source)) return { type: 'shed', reason: 'queue-full' };
      const bytes = review.parsedBytes();
      if (options.maxParsedBytesEach !== undefined && bytes > options.maxParsedBytesEach) {
        return { type: 'shed', reason: 'parsed-size' };
      }
      makeRoom(review.caller.source);
      const turn = await awaitTurn(review, bytes);
      if (turn === 'gone') return { type: 'gone' };
      if (turn !== 'turn') return { type: 'shed', reason: turn };
      try {
        return { type: 'done', result: await work(pace) };
      } finally {
        running--;
        parsedBytes -= bytes;
        advance();
      }
    },
  };
}
