import { Registry } from 'prom-client';
import type { MeshConfig } from '../../../src/config/mesh/mesh-config.js';
import type { MeshObject } from '../../../src/config/object.js';
import { createRegexPrograms } from '../../../src/config/regex/regex-programs.js';
import { createResolvedRules } from '../../../src/model/policy/rules/resolved-rules.js';
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
import { unreachedEnvironment } from './unreached-environment.js';

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
    programs: createRegexPrograms({ scope: 'any part' }),
    metrics: createRuleMetrics(createMetrics(registry)),
    logger,
    limitedLog: createLimitedLog(logger, clock),
    ...unreachedEnvironment(clock),
    writeLine: (stream, line) => lines.push(`${stream} ${line}`),
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
  const applyObjects = (objects: readonly MeshObject[], mesh: Partial<MeshConfig> = {}) =>
    handler.update(createResolvedRules('legacy')(tenantMesh(objects, mesh).context));
  return {
    handler,
    clock: fakeClock,
    lines,
    log: logger.records,
    apply: (text: string) => applyObjects(policyObjects(text)),
    applyObjects,
    check: (
      attributes: TestAttributes,
      charge?: string,
      failPolicy: typeof FAIL_OPEN | typeof FAIL_CLOSE = FAIL_OPEN,
      dryRunCharge?: string,
    ): CheckDecision | Promise<CheckDecision> =>
      handler.check({
        attributes: bag(attributes),
        quotas: charge === undefined ? [] : [{ quota: charge, charge: 1 }],
        ...(dryRunCharge !== undefined && { dryRunQuotas: [{ quota: dryRunCharge, charge: 1 }] }),
        deduplicationId: undefined,
        failPolicy,
        transport: {},
      }),
    report: (attributes: TestAttributes) => handler.report?.({ attributes: bag(attributes), service: {} }),
    series: async (name: string) => (await registry.metrics()).split('\n').filter((line) => line.startsWith(name)),
  };
}
