import type { Clock } from '../../../base/clock.js';
import type { ServiceConfig } from '../../../config/policy/client-config.js';
import type { ServiceConfigSource } from '../compiled-services.js';

/** The subscriptions whose resources name one another. */
export interface PolicySources {
  /** The services as they are now, undefined before the first response. Later responses do not change the result. */
  services(): ReadonlyMap<string, ServiceConfig> | undefined;
  plan: NonNullable<ServiceConfigSource['plan']>;
  planNames(): readonly string[];
}

/** Joins services and plans, which come in separate responses. */
export interface CompletePolicies {
  /** A response has come. */
  changed(): void;
  stop(): void;
}

/** How long services wait for a plan that they name. */
const WAIT_MS = 5000;

/**
 * Puts services in force when all plans that they name have come: without its plan, the fail policy would decide about the
 * requests to a service. After some seconds the services are in force anyway, because other services need them.
 *
 * @param use puts policies into force
 */
export function createCompletePolicies(
  { services, plan, planNames }: PolicySources,
  clock: Clock,
  use: (policies: ServiceConfigSource) => void,
): CompletePolicies {
  let cancel: (() => void) | undefined;
  let isStopped = false;

  const publish = (current = services()): void => {
    cancel?.();
    cancel = undefined;
    if (current === undefined) return;
    use({ find: (hostname) => current.get(hostname), plan, planNames: planNames() });
  };
  const isComplete = (current: ReturnType<typeof services>): boolean =>
    [...(current?.values() ?? [])].every(({ plans = [] }) => plans.every((name) => plan(name) !== undefined));

  return {
    changed: () => {
      // A response can be read completely after the end.
      if (isStopped) return;
      const current = services();
      if (isComplete(current)) publish(current);
      else cancel ??= clock.schedule(WAIT_MS, () => publish());
    },
    stop: () => {
      isStopped = true;
      cancel?.();
      cancel = undefined;
    },
  };
}
