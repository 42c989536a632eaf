import { createHash } from 'node:crypto';
import { createBackoff } from '../../../../base/backoff.js';
import type { Clock } from '../../../../base/clock.js';
import type { Steps } from '../../../../base/steps.js';
import type { LimitedLog } from '../../../../telemetry/limited-log.js';
import type { Contains } from './compile-list.js';
import { parseList } from './parse-list.js';

export interface FetchedListOptions {
  readonly url: string;
  /** Between two fetches, ±10 % so that handlers spread. */
  readonly refreshMs: number;
  /** How long the last list counts while fetches fail. */
  readonly ttlMs: number;
  /** @throws Error with the reason */
  readonly fetchText: (url: string) => Promise<string>;
  readonly compile: (entries: readonly string[]) => Steps<Contains>;
  /** Runs a computation without delaying requests. */
  readonly inBackground: <Result>(steps: Steps<Result>) => Promise<Result>;
  readonly clock: Clock;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly log: Pick<LimitedLog, 'info' | 'warn'>;
}

/** Keeps the list of a URL current until `close`. */
export interface FetchedList {
  /** @throws Error while there is no list: before the first one, and when the last one is too old */
  contains: Contains;
  close(): void;
}

const FIRST_RETRY_MS = 1_000;
const LAST_RETRY_MS = 60_000;

interface KeptList {
  readonly hash: string;
  readonly contains: Contains;
  readonly fetchedAtMs: number;
}

export function createFetchedList(options: FetchedListOptions): FetchedList {
  const { refreshMs, ttlMs, clock, random, log } = options;
  // A query can have a token.
  const url = options.url.replace(/[?#].*$/s, '');
  const backoff = createBackoff({ initialMs: FIRST_RETRY_MS, maxMs: Math.min(LAST_RETRY_MS, refreshMs), random });
  let list: KeptList | undefined;
  let isFailing = false;
  let isClosed = false;
  let cancel = (): void => undefined;

  const fetchList = async (): Promise<KeptList> => {
    const text = await options.fetchText(options.url);
    const fetchedAtMs = clock.monotonicMs();
    const hash = createHash('sha256').update(text).digest('base64url');
    if (hash === list?.hash) return { ...list, fetchedAtMs };
    const contains = await options.inBackground(
      (function* () {
        const entries = parseList(text);
        yield;
        const compiled = yield* options.compile(entries);
        log.info({ url, entries: entries.length }, 'list of a handler fetched');
        return compiled;
      })(),
    );
    return { hash, contains, fetchedAtMs };
  };
  const run = async (): Promise<void> => {
    let waitMs: number;
    try {
      list = await fetchList();
      isFailing = false;
      backoff.reset();
      waitMs = refreshMs * (0.9 + random() * 0.2);
    } catch (err) {
      isFailing = true;
      if (!isClosed) log.warn({ url, keepsLast: isFresh(list), err }, 'list of a handler cannot be fetched');
      waitMs = backoff.nextMs();
    }
    if (!isClosed) cancel = clock.schedule(waitMs, () => void run());
  };
  const isFresh = (kept: KeptList | undefined): kept is KeptList =>
    kept !== undefined && (!isFailing || clock.monotonicMs() - kept.fetchedAtMs <= ttlMs);

  void run();
  return {
    contains: (value) => {
      if (isFresh(list)) return list.contains(value);
      throw new Error(`the list of ${url} ${list === undefined ? 'has not come yet' : 'is too old (params.ttl)'}`);
    },
    close: () => {
      isClosed = true;
      cancel();
    },
  };
}
