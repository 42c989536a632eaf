import type { Clock } from '../base/clock.js';
import type { LogFields, Logger } from './logger.js';

/** Log of events that peers can cause at any rate, with a limit of lines per peer and in total in each interval. */
export interface PeerLog {
  /** @param peer an address or an identity */
  warn(peer: string, fields: LogFields, message: string): void;
  info(peer: string, fields: LogFields, message: string): void;
}

export interface PeerLogLimits {
  /** 10 seconds unless given. */
  readonly intervalMs?: number;
  /** Lines of one peer in an interval; 20 unless given. */
  readonly perPeer?: number;
  /** Lines of all peers in an interval; 200 unless given. */
  readonly inAll?: number;
}

const INTERVAL_MS = 10_000;
const PER_PEER = 20;
const IN_ALL = 200;

/** The first line after an interval with omitted lines has their number as `suppressed`. */
export function createPeerLog(logger: Logger, clock: Clock, limits: PeerLogLimits = {}): PeerLog {
  const { intervalMs = INTERVAL_MS, perPeer = PER_PEER, inAll = IN_ALL } = limits;
  // Contains only peers with written lines, so at most `inAll` of them.
  const lines = new Map<string, number>();
  let written = 0;
  let suppressed = 0;
  let untilMs = Number.NEGATIVE_INFINITY;

  const at = (level: 'warn' | 'info') => (peer: string, fields: LogFields, message: string) => {
    const nowMs = clock.monotonicMs();
    const isNewInterval = nowMs >= untilMs;
    if (isNewInterval) {
      untilMs = nowMs + intervalMs;
      written = 0;
      lines.clear();
    }
    const ofPeer = lines.get(peer) ?? 0;
    if (ofPeer >= perPeer || written >= inAll) {
      suppressed++;
      return;
    }
    lines.set(peer, ofPeer + 1);
    written++;
    const tellsSuppressed = isNewInterval && suppressed > 0;
    logger[level](tellsSuppressed ? { ...fields, suppressed } : fields, message);
    if (tellsSuppressed) suppressed = 0;
  };
  return { warn: at('warn'), info: at('info') };
}
