import type { PolicyServerConfig, QuotaLimit } from '../../config/policy-server/policy-server-config.js';
import { createHandlerChain, type HandlerChain } from '../handlers/handler-chain.js';
import type { PolicyHandler } from '../handlers/policy-handler.js';
import type { QuotaShares } from '../quota/shares/quota-shares.js';
import type { RuleHandler } from '../rules/rule-handler.js';
import { NO_RULES, type RulesInForce } from '../rules/rule-objects.js';
import type {
  ConfiguredHandler,
  LiveQuotas,
  Neighbours,
  OpenHandler,
  PolicyHandlersOptions,
} from './open-handlers/configured-handler.js';
import { openQuotaHandler } from './open-handlers/open-quota-handler.js';
import { openRemoteHandler } from './open-handlers/open-remote-handler.js';
import { openRuleHandler } from './open-handlers/open-rule-handler.js';

/** The handlers that the policy server's configuration asks for. */
export interface PolicyHandlers {
  readonly chain: HandlerChain;
  /**
   * Follows a changed configuration. A handler that the change does not concern stays, with its counters and
   * connections.
   *
   * @throws Error when the configuration names a file that cannot be read; the former handlers stay
   */
  update(config: PolicyServerConfig): void;
  /** Puts rules into force. The object of the call before changes nothing. */
  useRules(rules: RulesInForce): void;
  /** Counts the limits of plans. The object of the call before changes nothing. */
  usePlans(limits: readonly QuotaLimit[]): void;
  /**
   * Why handlers of rules do not run, by key; the same object while no rule changes. Undefined while a remote server decides.
   */
  failedHandlers(): ReadonlyMap<string, string> | undefined;
  /** Whether all handlers can decide, as far as they know. */
  isUp(): boolean;
  /** The live use of quotas; undefined while a remote server counts, and no plan has limits. */
  quotas(): LiveQuotas | undefined;
  /** Divides fast quotas; undefined while a remote server counts. */
  shares(): QuotaShares | undefined;
}

/**
 * All handlers, in the order in which they decide: a request that a rule refuses charges no limit of the configuration. A
 * further handler is a folder beside `quota/` and a line here.
 */
const HANDLERS: readonly OpenHandler[] = [openRuleHandler, openQuotaHandler, openRemoteHandler];

export function createPolicyHandlers(config: PolicyServerConfig, options: PolicyHandlersOptions): PolicyHandlers {
  let rules = NO_RULES;
  let planLimits: readonly QuotaLimit[] = [];
  const neighbours: Neighbours = {
    rules: () => rules,
    planLimits: () => planLimits,
    countsQuota: (name) => ruleHandler()?.countsQuota(name) === true,
  };
  const closeFailed = (error: unknown): void => options.logger.warn({ err: error }, 'policy handler not closed');
  const open = (wanted: PolicyServerConfig, former: readonly (ConfiguredHandler | undefined)[]) => {
    const opened: ConfiguredHandler[] = [];
    try {
      return HANDLERS.map((openHandler, index) => {
        const known = former[index];
        if (known?.follow(wanted)) return known;
        const next = openHandler(wanted, options, neighbours);
        if (next !== undefined) opened.push(next);
        return next;
      });
    } catch (error) {
      for (const { handler } of opened) handler.close().catch(closeFailed);
      throw error;
    }
  };
  const handlersOf = (configured: readonly (ConfiguredHandler | undefined)[]): readonly PolicyHandler[] =>
    configured.flatMap((each) => each?.handler ?? []);

  let inForce = config;
  let configured = open(config, []);
  const ruleHandler = (): RuleHandler | undefined => configured.find((each) => each?.rules !== undefined)?.rules;
  const chain = createHandlerChain(handlersOf(configured), closeFailed);
  const update = (wanted: PolicyServerConfig): void => {
    configured = open(wanted, configured);
    inForce = wanted;
    chain.use(handlersOf(configured));
  };
  return {
    chain,
    update,
    useRules: (next) => {
      if (next === rules) return;
      rules = next;
      ruleHandler()?.update(next);
    },
    usePlans: (limits) => {
      if (limits === planLimits) return;
      const hadLimits = planLimits.length > 0;
      planLimits = limits;
      // With a remote server, only limits of plans are counted here.
      if (inForce.backend !== undefined && hadLimits !== limits.length > 0) update(inForce);
      for (const each of configured) each?.planLimits?.usePlans(limits);
    },
    failedHandlers: () => ruleHandler()?.failures(),
    isUp: () => configured.every((each) => each?.isUp() !== false),
    quotas: () => configured.find((each) => each?.quotas !== undefined)?.quotas,
    shares: () => configured.find((each) => each?.shares !== undefined)?.shares,
  };
}
