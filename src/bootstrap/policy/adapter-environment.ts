import type { Clock } from '../../base/clock.js';
import { createEgressRules } from '../../net/egress/egress-rules.js';
import { createGuardedConnect } from '../../net/egress/guarded-connect.js';
import { createNamedStoreOpener } from '../../policy/quota/open-named-store.js';
import type { AdapterEnvironment } from '../../policy/rules/adapters/adapter.js';
import type { Logger } from '../../telemetry/logger.js';

export interface AdapterEnvironmentParts {
  /** NAV_EGRESS_ALLOWED */
  readonly egressAllowed: readonly string[];
  readonly clock: Clock;
  /** Of scope `policy`. */
  readonly logger: Logger;
  /** Of `createOwnAdapters`. */
  readonly buildOwn: AdapterEnvironment['buildOwn'];
}

/** What the adapters of handlers get of this process. Handlers are of tenants: the egress rules apply to what they name. */
export function createAdapterEnvironment({
  egressAllowed,
  clock,
  logger,
  buildOwn,
}: AdapterEnvironmentParts): AdapterEnvironment {
  const connect = createGuardedConnect({ rules: createEgressRules(egressAllowed) });
  return {
    clock,
    writeLine: (stream, line) => void process[stream].write(`${line}\n`),
    openStore: createNamedStoreOpener({ clock, logger, connect }),
    buildOwn,
  };
}
