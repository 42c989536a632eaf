import type { PolicyServerConfig } from '../../../config/policy-server/policy-server-config.js';
import { createRegexPrograms } from '../../../config/regex/regex-programs.js';
import { createRuleHandler } from '../../rules/rule-handler.js';
import { createRuleMetrics } from '../../rules/rule-metrics.js';
import type { ConfiguredHandler, Neighbours, PolicyHandlersOptions } from './configured-handler.js';

/** Rules are applied here unless a remote server decides, which has rules of its own. */
export function openRuleHandler(
  { backend }: PolicyServerConfig,
  options: PolicyHandlersOptions,
  neighbours: Neighbours,
): ConfiguredHandler | undefined {
  if (backend !== undefined) return undefined;
  const { adapters, metrics, logger, limitedLog, regexLimits } = options;
  const handler = createRuleHandler({
    ...adapters,
    programs: createRegexPrograms({ maxBytes: regexLimits.programsBytes, scope: 'any part' }),
    metrics: createRuleMetrics(metrics),
    logger,
    limitedLog,
  });
  handler.update(neighbours.rules());
  return { handler, rules: handler, follow: (wanted) => wanted.backend === undefined, isUp: () => true };
}
