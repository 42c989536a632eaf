import { createSubjectLog } from '../../telemetry/subject-log.js';
import { LIMIT_SETTINGS } from '../limits/xds-limits.js';
import type { SessionEnvironment } from '../session-environment.js';
import { createAddressShares } from './address-shares.js';

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
  const places = createAddressShares(limits.restPolls);
  const log = createSubjectLog(logger, clock);
  return {
    enter: (address) => {
      const leave = places.take(address, 1);
      if (leave === undefined) {
        metrics.limitMet('restPolls');
        log.warn(address, { peer: address, setting: LIMIT_SETTINGS.restPolls }, 'REST requests are answered at once');
      }
      return leave;
    },
  };
}
