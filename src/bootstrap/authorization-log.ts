import type { Clock } from '../base/clock.js';
import type { Proxy } from '../model/proxy.js';
import type { PushContext } from '../model/push-context.js';
import type { AuthorizationPolicies } from '../model/security/authorization-policies.js';
import { labelsOf } from '../model/security/mutual-tls.js';
import type { Logger } from '../telemetry/logger.js';
import { createSubjectLog } from '../telemetry/subject-log.js';
import type { SessionObserver, SnapshotObserver } from './proxy-serving.js';

/** Different sets of policies that have a line after one change. */
const MAX_SETS = 100;
/** Policies that one line names. */
const MAX_POLICIES = 20;

/**
 * Logs at `debug` which AuthorizationPolicies apply to each proxy when it connects, and after a change once for each set of
 * policies. Workloads whose policies are too large reject every request; that is logged at `warn`, for each namespace.
 */
export function createAuthorizationLog(
  logger: Logger,
  clock: Clock,
): SnapshotObserver & Omit<SessionObserver, 'progressed'> {
  const refused = createSubjectLog(logger, clock);
  const proxies = new Map<object, Proxy>();
  let current: PushContext | undefined;
  let policies: AuthorizationPolicies | undefined;

  /** @param known keys of the sets that have a line already */
  const logWorkload = (context: PushContext, proxy: Proxy, known: Set<string>): void => {
    const { configNamespace: namespace, id } = proxy;
    const found = context.authorizationPolicies.ofWorkload(namespace, labelsOf(context, proxy));
    const set = `${namespace}\n${found.key}`;
    if (known.has(set) || known.size >= MAX_SETS) return;
    known.add(set);
    const names = found.policies.slice(0, MAX_POLICIES).map((each) => `${each.namespace}/${each.name}`);
    const fields = { namespace, proxy: id, policies: names, count: found.policies.length };
    if (found.isTooLarge) {
      const remedy = 'split the workload, or join rules of its policies';
      refused.warn(
        namespace,
        { ...fields, remedy },
        'authorization policies are too large, the workload rejects everything',
      );
    } else logger.debug(fields, 'authorization policies of a workload');
  };

  return {
    observe: (context) => {
      current = context;
      if (context.authorizationPolicies === policies) return;
      policies = context.authorizationPolicies;
      const known = new Set<string>();
      const concerns = createConcern(policies, logger.isDebugEnabled());
      for (const proxy of proxies.values()) {
        if (concerns(proxy)) logWorkload(context, proxy, known);
      }
    },
    opened: (session) => {
      const { proxy } = session;
      if (proxy === undefined) return;
      proxies.set(session, proxy);
      if (current === undefined) return;
      const concerns = createConcern(current.authorizationPolicies, logger.isDebugEnabled());
      if (concerns(proxy)) logWorkload(current, proxy, new Set());
    },
    closed: (session) => void proxies.delete(session),
  };
}

/** Whether a proxy can have a line. Without `debug` only the namespaces matter whose policies can be too large. */
function createConcern(policies: AuthorizationPolicies, isDebug: boolean): (proxy: Proxy) => boolean {
  const byNamespace = new Map<string, boolean>();
  return ({ configNamespace }) => {
    if (isDebug) return true;
    const canBe = byNamespace.get(configNamespace) ?? policies.canBeTooLarge(configNamespace);
    byNamespace.set(configNamespace, canBe);
    return canBe;
  };
}
