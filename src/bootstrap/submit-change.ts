import type { Clock } from '../base/clock.js';
import type { PushRequest } from '../model/push-request.js';
import type { StoreChange } from '../model/store/change-log.js';
import type { Distributor } from '../push/distributor.js';
import type { Logger } from '../telemetry/logger.js';
import type { Logging } from '../telemetry/logging.js';
import type { Metrics } from '../telemetry/metrics.js';

/** Counts a change of the stores, logs it at `debug`, and pushes it. */
export type SubmitChange = (change: StoreChange) => void;

/** Objects of one change that the log names. */
const MAX_LOGGED = 100;

/** The scope `processing` has a line for each change, and `resource` one for each object of it. */
export function createSubmit(
  metrics: Pick<Metrics, 'increment'>,
  distributor: Pick<Distributor, 'submit'>,
  logging: Pick<Logging, 'scope'>,
  clock: Clock,
): SubmitChange {
  const processing = logging.scope('processing');
  const resource = logging.scope('resource');
  return ({ push, updates }) => {
    for (const [type, count] of Object.entries(updates)) {
      if (count > 0) metrics.increment('nav_inbound_updates', { type }, count);
    }
    if (processing.isDebugEnabled()) processing.debug({ updates, pushes: push !== undefined }, 'change was applied');
    if (push === undefined) return;
    if (resource.isDebugEnabled()) logObjects(push, resource);
    distributor.submit({ ...push, startMs: clock.monotonicMs() });
  };
}

function logObjects({ changed, endpoints }: Pick<PushRequest, 'changed' | 'endpoints'>, logger: Logger): void {
  const objects = changed === 'everything' ? ['MeshConfig//mesh'] : [...changed];
  for (const object of objects.slice(0, MAX_LOGGED)) logger.debug({ object }, 'object changed');
  for (const host of [...endpoints].slice(0, MAX_LOGGED)) logger.debug({ host }, 'endpoints changed');
  const unlogged = Math.max(0, objects.length - MAX_LOGGED) + Math.max(0, endpoints.size - MAX_LOGGED);
  if (unlogged > 0) logger.debug({ unlogged }, 'more objects changed');
}
