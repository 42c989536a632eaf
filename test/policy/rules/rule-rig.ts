import { Registry } from 'prom-client';
import { createBackgroundLane } from '../../../src/base/background-lane.js';
import { createRegexPrograms } from '../../../src/config/regex/regex-programs.js';
import { compileRules } from '../../../src/model/policy/rules/rule-set.js';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import type { AttributeValue } from '../../../src/policy/client/attribute-value.js';
import type { CheckDecision } from '../../../src/policy/client/check-flow.js';
import { createRuleHandler, type RuleHandlerOptions } from '../../../src/policy/rules/rule-handler.js';
import { createRuleMetrics } from '../../../src/policy/rules/rule-metrics.js';
import { createLimitedLog } from '../../../src/telemetry/limited-log.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { tenantMesh } from '../../model/policy/tenant-objects.js';
import { policyObjects } from '../../status/analysis/support.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const COUNTS = {
  adapters: 0,
  attributes: 0,
  handlers: 1,
  invalidHandlers: 0,
  instances: 1,
  invalidInstances: 0,
  rules: 1,
  invalidRules: 0,
  invalidMatches: 0,
  templates: 0,
};
export const FAIL_OPEN = { policy: 'FAIL_OPEN' } as const;
export const FAIL_CLOSE = { policy: 'FAIL_CLOSE' } as const;

/** Texts may be written as they are. */
export type TestAttributes = Readonly<Record<string, string | AttributeValue>>;

/** A rule handler with the rules of a test. Its time is the test's, unless the test gives a clock. */
export function createRuleRig(options: Partial<RuleHandlerOptions> = {}) {
  const fakeClock = createFakeClock();
  const { clock = fakeClock } = options;
  const logger = createRecordingLogger();
  const registry = new Registry();
  const lines: string[] = [];
  const handler = createRuleHandler({
    language: 'legacy',
    programs: createRegexPrograms({ scope: 'any part' }),
    metrics: createRuleMetrics(createMetrics(registry)),
    logger,
    limitedLog: createLimitedLog(logger, clock),
    clock,
    writeLine: (stream, line) => lines.push(`${stream} ${line}`),
    random: () => 0.5,
    openStore: () => {
      throw new Error('no Redis is reached here');
    },
    buildOwn: () => {
      throw new Error("no adapters of one's own are called here");
    },
    fetchText: async (url) => {
      throw new Error(`${url} is not reached here`);
    },
    background: createBackgroundLane(clock, 0.1),
    ...options,
  });
  const bag = (attributes: TestAttributes) =>
    bagOf(
      new Map<string, AttributeValue>(
        Object.entries({ 'destination.service.namespace': 'shop', ...attributes }).map(([name, value]) => [
          name,
          typeof value === 'string' ? { type: 'string', value } : value,
        ]),
      ),
    );
  return {
    handler,
    clock: fakeClock,
    lines,
    log: logger.records,
    apply: (text: string) =>
      handler.update(compileRules(tenantMesh(policyObjects(text)).context, 'legacy').rules, COUNTS),
    check: (
      attributes: TestAttributes,
      charge?: string,
      failPolicy: typeof FAIL_OPEN | typeof FAIL_CLOSE = FAIL_OPEN,
    ): CheckDecision | Promise<CheckDecision> =>
      handler.check({
        attributes: bag(attributes),
        quotas: charge === undefined ? [] : [{ quota: charge, charge: 1 }],
        deduplicationId: undefined,
        failPolicy,
        transport: {},
      }),
    report: (attributes: TestAttributes) => handler.report?.({ attributes: bag(attributes), service: {} }),
    series: async (name: string) => (await registry.metrics()).split('\n').filter((line) => line.startsWith(name)),
  };
}
