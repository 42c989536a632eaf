import type { Clock } from '../../base/clock.js';
import { errorText } from '../../base/error-text.js';
import type { Logger } from '../../telemetry/logger.js';
import { type ApiAnswer, refusalText, type SendRequest } from '../client/api-sender.js';
import { type Lease, type LeaseName, leaseManifest, parseLease } from './lease.js';

/** Times of an election, in milliseconds (docs/reference/sources.md#leader-locks). */
export interface ElectionTiming {
  /** A holder that has not renewed for this long has lost the lease. */
  readonly leaseMs: number;
  /** A leader that could not renew for this long stops leading, well before another instance may take the lease. */
  readonly renewMs: number;
  /** Interval of a leader's renewals. */
  readonly retryMs: number;
  /** Interval at which a candidate looks at the lease; a released lease is taken within it. */
  readonly lookMs: number;
}

const DEFAULT_ELECTION_TIMING: ElectionTiming = {
  leaseMs: 30_000,
  renewMs: 15_000,
  retryMs: 7_500,
  lookMs: 2_000,
};

export interface LeaderElectionOptions {
  readonly lease: LeaseName;
  /** POD_NAME; unique among the instances. */
  readonly identity: string;
  readonly send: SendRequest;
  readonly clock: Clock;
  readonly logger: Logger;
  /** From 0 up to, not including, 1: for jitter. */
  readonly random: () => number;
  readonly timing?: ElectionTiming;
  /** Called when this instance starts or stops leading. */
  readonly onChange: (isLeader: boolean) => void;
}

/** One instance's part in the election of a leader by a Lease. */
export interface LeaderElection {
  readonly isLeader: boolean;
  start(): void;
  /** Ends the part of this instance. A leader releases the Lease, so that another instance can take it at once. */
  stop(): Promise<void>;
}

/** Retry after a failure, sooner than the next renewal is due. */
const FAILURE_RETRY_MS = 1_000;

export function createLeaderElection(options: LeaderElectionOptions): LeaderElection {
  const { lease: name, identity, send, clock, logger, random, onChange } = options;
  const { leaseMs, renewMs, retryMs, lookMs } = options.timing ?? DEFAULT_ELECTION_TIMING;
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${encodeURIComponent(name.namespace)}/leases`;
  const path = `${collection}/${encodeURIComponent(name.name)}`;
  const fields = { lease: `${name.namespace}/${name.name}`, identity };
  let isLeader = false;
  let isStopping = false;
  /** The Lease as it was last seen, and the time since which it has been unchanged. */
  let seen: { readonly lease: Lease; readonly sinceMs: number } | undefined;
  let running: Promise<void> | undefined;
  let cancelNext = (): void => undefined;
  let cancelDeadline = (): void => undefined;
  let lastTrouble = '';

  const setLeader = (next: boolean, why: string): void => {
    if (next === isLeader) return;
    isLeader = next;
    logger.info({ ...fields, why }, next ? 'this instance leads' : 'this instance does not lead any more');
    onChange(next);
  };

  const see = (lease: Lease | undefined): void => {
    if (lease === undefined) seen = undefined;
    else if (seen?.lease.resourceVersion !== lease.resourceVersion) seen = { lease, sinceMs: clock.monotonicMs() };
  };

  const lead = (answer: ApiAnswer): void => {
    see(parseLease(answer.body));
    cancelDeadline();
    cancelDeadline = clock.schedule(renewMs, () => setLeader(false, 'the lease could not be renewed'));
    setLeader(true, 'it holds the lease');
  };

  const claim = (present: Lease | undefined, holder: string, durationMs: number): Promise<ApiAnswer> => {
    const body = leaseManifest(name, { holder, durationMs, now: clock.now(), present });
    return present === undefined
      ? send({ method: 'POST', path: collection, body })
      : send({ method: 'PUT', path, body });
  };

  const look = async (): Promise<void> => {
    const answer = await send({ method: 'GET', path });
    if (answer.status === 404) see(undefined);
    else if (answer.status === 200) see(parseLease(answer.body));
    else throw new ElectionError(answer);
  };

  /** Whether the Lease is free, has run out, or is held by this instance. */
  const isFree = (): boolean => {
    if (seen === undefined) return true;
    const { lease, sinceMs } = seen;
    if (lease.holder === '' || lease.holder === identity) return true;
    return clock.monotonicMs() - sinceMs > Math.max(lease.durationMs, leaseMs);
  };

  /** Claims the Lease in its last seen state; false when the Lease has changed since. */
  const tryClaim = async (): Promise<boolean> => {
    const answer = await claim(seen?.lease, identity, leaseMs);
    if (answer.status === 409 || answer.status === 404) return false;
    if (answer.status >= 300) throw new ElectionError(answer);
    if (isStopping) see(parseLease(answer.body));
    else lead(answer);
    return true;
  };

  /**
   * Claims the Lease if that can succeed. A renewal does not read the Lease first, unless another client has changed
   * it.
   */
  const attempt = async (): Promise<void> => {
    if (isLeader && (await tryClaim())) return;
    await look();
    // If another instance is faster, the next look finds out.
    if (isFree() && (await tryClaim())) return;
    if (!isFree()) setLeader(false, 'another instance holds the lease');
  };

  const tell = (err: unknown): void => {
    const isForbidden = err instanceof ElectionError && err.status === 403;
    // The API server words a refusal differently while it learns of rights.
    const trouble = isForbidden ? 'forbidden' : errorText(err);
    if (trouble === lastTrouble) return;
    lastTrouble = trouble;
    const remedy = isForbidden ? { remedy: 'let the service account get, create and update leases' } : {};
    logger.warn({ ...fields, err, ...remedy }, 'lease of the leader cannot be read or written');
  };

  const run = async (): Promise<void> => {
    cancelNext();
    let waitMs = lookMs;
    try {
      await attempt();
      waitMs = isLeader ? retryMs : lookMs * (1 + random() / 5);
      if (lastTrouble !== '') logger.info(fields, 'lease of the leader can be read and written again');
      lastTrouble = '';
    } catch (err) {
      if (!isStopping) tell(err);
      waitMs = FAILURE_RETRY_MS * (1 + random());
    }
    running = undefined;
    if (!isStopping) cancelNext = clock.schedule(waitMs, start);
  };

  const start = (): void => {
    if (!isStopping) running ??= run();
  };

  return {
    get isLeader() {
      return isLeader;
    },
    start,
    stop: async () => {
      isStopping = true;
      cancelNext();
      cancelDeadline();
      await running;
      if (!isLeader) return;
      setLeader(false, 'it stops');
      try {
        const answer = await claim(seen?.lease, '', 1000);
        if (answer.status >= 300) throw new ElectionError(answer);
      } catch (err) {
        logger.warn({ ...fields, err }, 'lease not released, other instances wait until it expires');
      }
    },
  };
}

class ElectionError extends Error {
  readonly status: number;

  constructor(answer: ApiAnswer) {
    super(refusalText(answer));
    this.name = 'ElectionError';
    this.status = answer.status;
  }
}
