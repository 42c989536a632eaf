import type { Clock } from '../../base/clock.js';
import { createQuotaSlots } from './quota-slots.js';

/** Recent use is measured over this time. */
const PREDICTION_WINDOW_MS = 1000;
/** The least that a prefetch asks for. */
const MIN_PREFETCH_AMOUNT = 10;
/** No question is asked for this time after a partial grant. */
const CLOSE_WAIT_MS = 500;
/** The longest time that units are kept. */
const MAX_GRANT_MS = 60_000;

/** The result of a question to the server. */
export type QuotaGrant =
  | {
      readonly type: 'granted';
      readonly amount: number;
      /** How long the units may be used; missing, or above 60 s, means 60 s. */
      readonly validMs?: number | undefined;
      /** After a partial grant: when the server has more. */
      readonly retryAfterMs?: number | undefined;
    }
  /** No answer under FAIL_OPEN: the same as a full grant (docs/reference/policy-client.md#quota-cache). */
  | { readonly type: 'unreachable' }
  /** No answer under FAIL_CLOSE: grants nothing, and the next request asks again. */
  | { readonly type: 'lost' }
  /** The server denied the request before it decided about quotas: lent units are taken back. */
  | { readonly type: 'skipped' };

/** Units to request now, best-effort. `settle` takes effect once. */
export interface QuotaFetch {
  readonly amount: number;
  settle(grant: QuotaGrant): void;
}

/** Releases units that a request took and did not use, because another reason refused it. Takes effect once. */
export type Release = () => void;

export type QuotaTake =
  /** Enough units were there or were lent. The fetch is for later requests. */
  | { readonly type: 'taken'; readonly release: Release; readonly fetch?: QuotaFetch }
  | { readonly type: 'refused' }
  /** Too few units: ask, settle, and try `takeAvailable`. */
  | { readonly type: 'undecided'; readonly fetch: QuotaFetch };

/**
 * Units of one quota, fetched before they are needed (docs/reference/policy-client.md#quota-cache).
 *
 * - Open (at first and after a full grant): when there are too few units, it lends the amount of the question before
 *   the answer.
 * - Closed (after a partial grant): it never lends, refuses meanwhile, and asks one question at a time, none for 500
 *   ms.
 * - Under FAIL_CLOSE it never lends, because the server may be unreachable. A request without enough units waits for
 *   the answer.
 *
 * So it never lets more pass than the server granted plus, for each loan, the part that the server then did not grant.
 * Unused units of that part are taken back, also from other grants.
 */
export interface QuotaPrefetch {
  take(amount: number): QuotaTake;
  /** Takes the amount when there are enough units. Asks no question. */
  takeAvailable(amount: number): Release | undefined;
  /** The rest of the wait after the last partial grant, in milliseconds; undefined when it is unknown or over. */
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
      // Only one of the waiting requests fetches ahead: if all did, a burst would fetch units that no request uses.
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
  /** The sum of the window that ends now, in steps of a tenth of the window. */
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
