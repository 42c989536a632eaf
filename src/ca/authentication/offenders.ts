import type { Clock } from '../../base/clock.js';

/** How many callers of one address may fail to prove who they are. */
export interface OffenderLimits {
  /** In a short time. */
  readonly burst: number;
  /** A second, in the long run. */
  readonly perSecond: number;
}

/**
 * Addresses whose callers fail to prove who they are, over and over. Each failure costs an API server a question, so an
 * address that has used up its failures is refused unasked for a while.
 */
export interface Offenders {
  /** Whether callers of the address are refused unasked. */
  isBlocked(address: string): boolean;
  /** Whether it goes on although it is refused, so that its connections are not worth a TLS handshake either. */
  isFlooding(address: string): boolean;
  /** A caller of the address was refused. */
  refused(address: string): void;
}

interface Account {
  /** Failures that are left; negative when it goes on regardless. */
  left: number;
  atMs: number;
}

/** An address that goes on while it is refused owes this part of the burst at most. */
const MAX_DEBT = 0.2;
/** Addresses that are remembered; the one that was refused least recently makes room. */
const MAX_ADDRESSES = 10_000;

export function createOffenders({ burst, perSecond }: OffenderLimits, clock: Clock): Offenders {
  const accounts = new Map<string, Account>();
  const debt = Math.ceil(burst * MAX_DEBT);

  const leftOf = (address: string): number => {
    const account = accounts.get(address);
    if (account === undefined) return burst;
    return Math.min(burst, account.left + ((clock.monotonicMs() - account.atMs) / 1000) * perSecond);
  };

  return {
    isBlocked: (address) => leftOf(address) < 1,
    isFlooding: (address) => leftOf(address) <= 1 - debt,
    refused: (address) => {
      const left = Math.max(-debt, leftOf(address) - 1);
      accounts.delete(address);
      const [oldest] = accounts.keys();
      if (accounts.size >= MAX_ADDRESSES && oldest !== undefined) accounts.delete(oldest);
      accounts.set(address, { left, atMs: clock.monotonicMs() });
    },
  };
}
