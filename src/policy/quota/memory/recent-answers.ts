import type { Clock } from '../../../telemetry/clock.js';

/** Answers to requests that may be repeated. */
export interface RecentAnswers<Answer> {
  find(key: string): Answer | undefined;
  add(key: string, answer: Answer): void;
}

export interface RecentAnswersOptions {
  readonly clock: Clock;
  /** How long an answer is found. */
  readonly keptMs: number;
  /** Answers that are kept; the oldest half may go earlier when there are more. */
  readonly maxAnswers: number;
}

/** Two generations: the older one goes as a whole, so that keeping many answers costs no work for each. */
export function createRecentAnswers<Answer>(options: RecentAnswersOptions): RecentAnswers<Answer> {
  const { clock, keptMs, maxAnswers } = options;
  type Generation = Map<string, { readonly answer: Answer; readonly untilMs: number }>;
  let current: Generation = new Map();
  let previous: Generation = new Map();
  let nextGenerationMs = clock.monotonicMs() + keptMs;

  const startGeneration = (nowMs: number): void => {
    previous = nowMs < nextGenerationMs + keptMs ? current : new Map();
    current = new Map();
    nextGenerationMs = nowMs + keptMs;
  };

  return {
    find: (key) => {
      const kept = current.get(key) ?? previous.get(key);
      return kept !== undefined && clock.monotonicMs() < kept.untilMs ? kept.answer : undefined;
    },
    add: (key, answer) => {
      const nowMs = clock.monotonicMs();
      if (nowMs >= nextGenerationMs || current.size >= maxAnswers / 2) startGeneration(nowMs);
      current.set(key, { answer, untilMs: nowMs + keptMs });
    },
  };
}
