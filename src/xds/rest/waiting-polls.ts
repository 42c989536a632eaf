import { createSubjectLog } from '../../telemetry/subject-log.js';
import { LIMIT_SETTINGS } from '../limits/xds-limits.js';
import type { SessionEnvironment } from '../session-environment.js';

/** Counts the polls that wait for a change: each of them keeps a connection of the listener. */
export interface WaitingPolls {
  /** @returns a function that leaves the place; undefined if the poll may not wait */
  enter(address: string): (() => void) | undefined;
}

export function createWaitingPolls({
  limits,
  metrics,
  logger,
  clock,
}: Pick<SessionEnvironment, 'limits' | 'metrics' | 'logger' | 'clock'>): WaitingPolls {
  const ofAddress = new Map<string, number>();
  const log = createSubjectLog(logger, clock);
  let all = 0;
  return {
    enter: (address) => {
      const own = ofAddress.get(address) ?? 0;
      if (all >= limits.restPolls || own >= limits.restPolls / 2) {
        metrics.limitMet('restPolls');
        log.warn(address, { peer: address, setting: LIMIT_SETTINGS.restPolls }, 'REST requests are answered at once');
        return undefined;
      }
      all++;
      ofAddress.set(address, own + 1);
      let isIn = true;
      return () => {
        if (!isIn) return;
        isIn = false;
        all--;
        const left = (ofAddress.get(address) ?? 1) - 1;
        if (left === 0) ofAddress.delete(address);
        else ofAddress.set(address, left);
      };
    },
  };
}
