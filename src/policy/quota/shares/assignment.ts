import { REPORT_INTERVAL_S } from './share-bucket.js';

/** What a proxy may admit to a bucket until the assignment expires, or the next one comes. */
export type Assignment =
  | { readonly type: 'allow' | 'deny' }
  | {
      readonly type: 'tokens';
      /** Whole, at least 1. */
      readonly maxTokens: number;
      /** 0 or more. */
      readonly tokensPerS: number;
      /** Whether the proxy starts with all tokens. Tokens that it had before do not count. */
      readonly isFull: boolean;
    };

/** Seconds after which an assignment expires: two reports and a while. */
export const ASSIGNMENT_TTL_S = 15;

/** Tokens at once, and the others over time, where less is granted than needed: a later request finds some too. */
const PACED_AT_ONCE = 0.2;

export interface AssignmentInput {
  /** Requests until the next report; infinite without a window. */
  readonly tokens: number;
  /** The requests that are probably needed until then; infinite while unknown. */
  readonly needed: number;
  /** Requests a second; undefined without a limit of a short window. */
  readonly rate: { readonly requestsPerS: number; readonly burst: number } | undefined;
}

export function assignmentOf({ tokens, needed, rate }: AssignmentInput): Assignment {
  if (tokens === Number.POSITIVE_INFINITY) {
    if (rate === undefined) return { type: 'allow' };
    return rate.requestsPerS <= 0 ? DENY : rated(rate.burst, rate.requestsPerS, false);
  }
  const whole = Math.floor(tokens);
  if (whole < 1 || (rate !== undefined && rate.requestsPerS <= 0)) return DENY;
  const isShort = needed !== Number.POSITIVE_INFINITY && whole < needed;
  const atOnce = isShort ? Math.ceil(whole * PACED_AT_ONCE) : whole;
  if (rate === undefined) return rated(atOnce, isShort ? (whole - atOnce) / REPORT_INTERVAL_S : 0, true);
  const burst = Math.min(atOnce, rate.burst);
  return rated(burst, Math.min(rate.requestsPerS, Math.max(0, whole - burst) / REPORT_INTERVAL_S), true);
}

const DENY: Assignment = { type: 'deny' };

function rated(maxTokens: number, tokensPerS: number, isFull: boolean): Assignment {
  return { type: 'tokens', maxTokens: Math.max(1, Math.ceil(maxTokens)), tokensPerS, isFull };
}

/** The same assignment, without new tokens. */
export function renewed(assignment: Assignment): Assignment {
  return assignment.type === 'tokens' ? { ...assignment, isFull: false } : assignment;
}
