import { Registry } from 'prom-client';
import type { Clock } from '../../../../src/base/clock.js';
import { createAdapterEnvironment } from '../../../../src/bootstrap/policy/adapter-environment.js';
import type { RuleHandlerOptions } from '../../../../src/policy/rules/rule-handler.js';
import { createMetrics } from '../../../../src/telemetry/metrics.js';
import { createRecordingLogger } from '../../../support/recording-logger.js';
import { createRuleRig } from '../rule-rig.js';

/** A rule handler whose adapters reach servers on this machine, unless the test allows other addresses. */
export function createAdapterRig(
  clock: Clock,
  egressAllowed: readonly string[] = ['127.0.0.1'],
  more: Partial<RuleHandlerOptions> = {},
) {
  const logger = createRecordingLogger();
  const registry = new Registry();
  const environment = createAdapterEnvironment({
    egressAllowed,
    metrics: createMetrics(registry),
    buildOwn: () => {
      throw new Error("no adapters of one's own are called here");
    },
    outgoing: { run: (_type, _subject, call) => call() },
    clock,
    logger,
  });
  return {
    ...createRuleRig({ ...environment, logger, ...more }),
    logger,
    /** Metrics of adapters. */
    ofAdapters: () => registry.metrics(),
    /** Metrics that handlers make. */
    handlerSeries: () => [...environment.series.lines()],
  };
}
