import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import type { ReflectorState } from './judge-failure.js';
import { type Resource, resourceName } from './resource.js';

export interface StateLogOptions {
  /** URL of the API server. */
  readonly server: string;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Logs the state of all watches: each change once, and one outage of the API server once for all of them. */
export interface StateLog {
  update(resource: Resource, state: ReflectorState): void;
  /** What RBAC forbids at present, one line each. */
  forbidden(): readonly string[];
  /** The error while at least one list cannot be read; undefined otherwise. */
  outage(): unknown;
}

export function createStateLog({ server, logger, clock }: StateLogOptions): StateLog {
  const states = new Map<Resource, ReflectorState>();
  const failing = new Map<Resource, unknown>();
  let failingSinceMs = 0;

  const noteFailing = (resource: Resource, state: ReflectorState): void => {
    if (state.type === 'failing') {
      if (failing.size === 0) {
        failingSinceMs = clock.monotonicMs();
        logger.warn({ err: state.err, server }, 'the API server cannot be read, what was read last is served');
      } else if (!failing.has(resource)) {
        logger.debug({ err: state.err, ...fieldsOf(resource) }, 'a kind of object cannot be read');
      }
      failing.set(resource, state.err);
    } else if (failing.delete(resource) && failing.size === 0) {
      const outageMs = Math.round(clock.monotonicMs() - failingSinceMs);
      logger.info({ server, outageMs }, 'the API server can be read again');
    }
  };

  return {
    update: (resource, state) => {
      noteFailing(resource, state);
      const before = states.get(resource);
      // An outage tells neither what is allowed nor what is installed.
      if (state.type === 'failing' || before?.type === state.type) return;
      states.set(resource, state);
      const fields = fieldsOf(resource);
      switch (state.type) {
        case 'synced':
          if (before?.type === 'forbidden') logger.info(fields, 'a kind of object may be read now');
          else if (before?.type === 'missing') logger.info(fields, 'a kind of object is installed now, and read');
          else logger.debug(fields, 'a kind of object is read');
          break;
        case 'missing':
          logger.info(fields, 'a kind of object is not installed, it is read as soon as its CRD is there');
          break;
        case 'forbidden':
          logger.error(
            { ...fields, verb: state.verb, err: state.err },
            'a kind of object may not be read, grant get, list and watch to this service account; the rest is served',
          );
          break;
      }
    },
    forbidden: () =>
      [...states].flatMap(([resource, state]) =>
        state.type === 'forbidden' ? `${resourceName(resource)}: ${state.err.message}` : [],
      ),
    outage: () => failing.values().next().value,
  };
}

function fieldsOf(resource: Resource): { readonly resource: string; readonly namespace?: string } {
  const { namespace } = resource;
  return { resource: resourceName(resource), ...(namespace === '' ? {} : { namespace }) };
}
