import type { Clock } from '../../base/clock.js';
import { createQuotaSlots } from './quota-slots.js';

/** Recent use is measured over this time. */
const PREDICTION_WINDOW_MS = 1000;
/** The least that a prefetch asks for. */
const MIN_PREFETCH_AMOUNT = 10;
/** After a partial grant nothing is asked for during this time. */
const CLOSE_WAIT_MS = 500;
/** Units are kept no longer, whatever the server allows. */
const MAX_GRANT_MS = 60_000;

/** What came of asking the server. */
export type QuotaGrant =
  | {
      readonly type: 'granted';
      readonly amount: number;
      /** How long the units may be used; missing, or above 60 s, means 60 s. */
      readonly validMs?: number | undefined;
      /** After a partial grant: when the server has more. */
      readonly retryAfterMs?: number | undefined;
    }
  /**
   * The server could not be asked, under FAIL_OPEN: counts as a full grant
   * (docs/reference/policy-client.md#quota-cache).
   */
  | { readonly type: 'unreachable' }
  /** The server could not be asked, under FAIL_CLOSE: grants nothing, and the next request asks again. */
  | { readonly type: 'lost' }
  /** The server denied the request before it came to quotas: nothing is known, what was lent is taken back. */
  | { readonly type: 'skipped' };

/** Units that must be asked for now, best-effort. Whoever got it settles it once; later calls do nothing. */
export interface QuotaFetch {
  readonly amount: number;
  settle(grant: QuotaGrant): void;
}

/** Puts units back, once, that a request took and then did not use, for it was refused for another reason. */
export type Release = () => void;

export type QuotaTake =
  /** There was enough, or it was lent; what to fetch is for requests to come. */
  | { readonly type: 'taken'; readonly release: Release; readonly fetch?: QuotaFetch }
  | { readonly type: 'refused' }
  /** There is not enough: ask, settle, and try `takeAvailable`. */
  | { readonly type: 'undecided'; readonly fetch: QuotaFetch };

/**
 * Units of one quota, fetched before they are needed (docs/reference/policy-client.md#quota-cache).
 *
 * Open, which it is at first and after a full grant, it lends when there is not enough: the amount that it asks for
 * can be used before the answer. Closed, after a partial grant, it never lends, asks one question at a time and none
 * for 500 ms, and refuses meanwhile.
 *
 * Under FAIL_CLOSE nothing is lent: the server that is to grant it may be gone. A request that finds too few units waits
 * for the answer.
 *
 * So what it lets through never exceeds what the server granted plus, for each amount lent, the part that the server
 * then did not grant. Of that part what is not used yet is taken back, also from other grants.
 */
export interface QuotaPrefetch {
  take(amount: number): QuotaTake;
  /** Takes the amount if there is enough, without asking for more. */
  takeAvailable(amount: number): Release | undefined;
  /** How long the last partial grant wants us to wait from now on; undefined when that is unknown, or over. */
  retryAfterMs(): number | undefined;
}

/** @param lends false under FAIL_CLOSE */
export function createQuotaPrefetch(clock: Clock, lends = true): QuotaPrefetch {
  const slots = createQuotaSlots();
  const window = createSlidingWindow(PREDICTION_WINDOW_MS);
  let isOpen = true;
  let inFlight = 0;
  let closedUntilMs = Number.NEGATIVE_INFINITY;
  let retryAtMs = Number.NEGATIVE_INFINITY;

  const fetch = (amount: number, isLent: boolean, nowMs: number): QuotaFetch => {
    const lent = isLent ? slots.add(amount, nowMs + MAX_GRANT_MS) : undefined;
    let isSettled = false;
    inFlight++;
    const settle = (grant: QuotaGrant): void => {
      if (isSettled) return;
      isSettled = true;
      inFlight--;
      const settledMs = clock.monotonicMs();
      const { granted, validMs, retryAfterMs } = readGrant(grant, amount);
      if (grant.type !== 'skipped') {
        isOpen = granted === amount || grant.type === 'lost';
        if (!isOpen) closedUntilMs = settledMs + CLOSE_WAIT_MS;
        retryAtMs = isOpen || retryAfterMs === undefined ? Number.NEGATIVE_INFINITY : settledMs + retryAfterMs;
      }
      if (lent === undefined) {
        if (granted > 0) slots.add(granted, settledMs + validMs);
        return;
      }
      const missing = amount - granted;
      const takenBack = Math.min(lent.units, missing);
      lent.units -= takenBack;
      lent.expiresMs = settledMs + validMs;
      slots.take(missing - takenBack, settledMs);
    };
    return { amount, settle };
  };

  const takeAvailable = (amount: number): Release | undefined => {
    const nowMs = clock.monotonicMs();
    if (slots.available(nowMs) < amount) return undefined;
    const taken = slots.take(amount, nowMs);
    return () => {
      slots.add(taken.units, taken.expiresMs);
      taken.units = 0;
    };
  };

  return {
    take(amount) {
      const nowMs = clock.monotonicMs();
      const available = slots.available(nowMs);
      const desired = Math.max(window.total(nowMs), MIN_PREFETCH_AMOUNT);
      const mayFetch = isOpen || (inFlight === 0 && nowMs >= closedUntilMs);
      const isShort = available < amount;
      const isLow = available < desired / 2 && inFlight === 0;
      window.add(amount, nowMs);
      // Of requests that wait one fetches ahead: were it all, a burst would fetch units that no request uses.
      const wanted = !lends && inFlight > 0 ? amount : Math.max(amount, desired);
      const asked = mayFetch && (isShort || isLow) ? fetch(wanted, lends && isOpen && isShort, nowMs) : undefined;
      const release = takeAvailable(amount);
      if (release !== undefined) return { type: 'taken', release, ...(asked && { fetch: asked }) };
      return asked === undefined ? { type: 'refused' } : { type: 'undecided', fetch: asked };
    },
    takeAvailable,
    retryAfterMs: () => {
      const waitMs = retryAtMs - clock.monotonicMs();
      return waitMs > 0 ? waitMs : undefined;
    },
  };
}

interface ReadGrant {
  readonly granted: number;
  readonly validMs: number;
  readonly retryAfterMs?: number | undefined;
}

function readGrant(grant: QuotaGrant, asked: number): ReadGrant {
  if (grant.type === 'unreachable') return { granted: asked, validMs: MAX_GRANT_MS };
  if (grant.type !== 'granted') return { granted: 0, validMs: 0 };
  return {
    granted: Math.min(Math.max(grant.amount, 0), asked),
    validMs: Math.min(grant.validMs ?? MAX_GRANT_MS, MAX_GRANT_MS),
    retryAfterMs: grant.retryAfterMs,
  };
}

const BUCKETS = 10;

/** Adds up amounts of the recent past. */
export interface SlidingWindow {
  add(amount: number, nowMs: number): void;
  /** What was added during the window that ends now, in steps of a tenth of the window. */
  total(nowMs: number): number;
}

/** Takes the same memory however much is added. */
function createSlidingWindow(windowMs: number): SlidingWindow {
  const bucketMs = windowMs / BUCKETS;
  const amounts = new Array<number>(BUCKETS).fill(0);
  let newest = Number.NEGATIVE_INFINITY;
  const moveTo = (nowMs: number): void => {
    const current = Math.floor(nowMs / bucketMs);
    for (let bucket = Math.max(newest + 1, current - BUCKETS + 1); bucket <= current; bucket++) {
      amounts[bucket % BUCKETS] = 0;
    }
    newest = Math.max(newest, current);
  };
  return {
    add: (amount, nowMs) => {
      moveTo(nowMs);
      amounts[newest % BUCKETS] = (amounts[newest % BUCKETS] ?? 0) + amount;
    },
    total: (nowMs) => {
      moveTo(nowMs);
      return amounts.reduce((sum, amount) => sum + amount, 0);
    },
  };
}
