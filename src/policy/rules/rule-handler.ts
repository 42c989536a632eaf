import { whenSettled } from '../../base/when-settled.js';
import type { MatchMeter } from '../../config/regex/match-meter.js';
import type { RegexPrograms } from '../../config/regex/regex-programs.js';
import { createEvaluationMeter } from '../../expressions/compile/lazy-frame.js';
import { createLimitedLog, type LimitedLog } from '../../telemetry/limited-log.js';
import { type Logger, withFields } from '../../telemetry/logger.js';
import type { AttributeBag } from '../client/attribute-bag.js';
import type { PolicyHandler } from '../handlers/policy-handler.js';
import { createCounterRooms } from '../quota/memory/counter-room.js';
import type { AdapterEnvironment } from './adapters/adapter.js';
import { buildAdapter } from './adapters/running-adapters.js';
import { checkDecision, checkResponse } from './decisions.js';
import { chargesOf, dispatchRequest } from './dispatch-request.js';
import { tryDryRuns } from './dry-run.js';
import { createHandlerTable, type HandlerTableOptions } from './handler-table.js';
import { HeaderWork } from './headers/header-work.js';
import { InstanceBuilder } from './instance-builder.js';
import type { RuleMetrics } from './rule-metrics.js';
import { NO_RULES, type RulesInForce, type Variety } from './rule-objects.js';
import { type CompiledRuleSet, createRuleCompiler, type RuleCompiler } from './rule-set.js';

/** The handler that applies rules. */
export interface RuleHandler extends PolicyHandler {
  /** Puts rules into force for requests that begin from now on. Requests under way end with the former ones. */
  update(rules: RulesInForce): void;
  /** Whether a rule counts the quota of this name, so that no limit of the policy configuration is missing. */
  countsQuota(name: string): boolean;
  /** Why handlers do not run, by key. The same object while no rule changes. */
  failures(): ReadonlyMap<string, string>;
}

export interface RuleHandlerOptions extends AdapterEnvironment {
  /** Where regular expressions are compiled, with the scope `any part`. */
  readonly programs: RegexPrograms;
  readonly metrics: RuleMetrics;
  readonly logger: Logger;
  readonly limitedLog: LimitedLog;
  /** Default: the built-in adapters. */
  readonly build?: HandlerTableOptions['build'];
}

/** Counters of the handlers with memquota: about 400 bytes each. */
const COUNTER_LIMITS = { namespace: 200_000, all: 1_000_000 };

/**
 * Applies rules to requests (docs/policy-rules.md): the handlers of matching rules check and count a request before the
 * answer, and get batches of reports after it. A handler that fails leaves the decision to the fail policy of the request,
 * and does not touch other handlers.
 */
export function createRuleHandler(options: RuleHandlerOptions): RuleHandler {
  const { clock, metrics, logger, limitedLog, programs } = options;
  const counterRooms = createCounterRooms(COUNTER_LIMITS);
  const build: HandlerTableOptions['build'] =
    options.build ??
    ((object, use) => {
      const { key: handler, authorization } = object;
      const log = createLimitedLog(withFields(logger, { handler }), clock);
      const namespace = handler.split('/')[1] ?? '';
      const counterRoom = counterRooms.of(namespace);
      return buildAdapter(object, { ...options, ...use, log, handler, namespace, authorization, counterRoom });
    });
  const handlers = createHandlerTable({ clock, metrics, logger, limitedLog, build });
  let { language } = NO_RULES;
  let compile: RuleCompiler = createRuleCompiler(language, programs, options);
  let rules: CompiledRuleSet = compile([]);

  const builderFor = (attributes: AttributeBag): { readonly meter: MatchMeter; readonly builder: InstanceBuilder } => {
    const meter = createEvaluationMeter();
    return { meter, builder: new InstanceBuilder(attributes, meter, limitedLog) };
  };

  return {
    name: 'rules',
    check: (check) => {
      const { attributes, quotas, dryRunQuotas, deduplicationId, failPolicy } = check;
      const { meter, builder } = builderFor(attributes);
      const destinations = rules.requestDestinations(attributes, meter);
      const charges = chargesOf(quotas);
      const headers = rules.headerRules && new HeaderWork(rules.headerRules(attributes, meter), attributes, meter);
      const asked = { charges, deduplicationId, outputs: headers?.outputs };
      const outcome = dispatchRequest(destinations, asked, builder, handlers, options);
      const decide = headers === undefined ? checkDecision : headers.decideWith(limitedLog);
      const decision = whenSettled(outcome, (settled) => decide(settled, meter, failPolicy));
      const inForce = rules;
      if (inForce.dryRuns === undefined && dryRunQuotas === undefined) return decision;
      return whenSettled(decision, (settled) => tryDryRuns(settled, check, inForce, handlers, options));
    },
    answer: ({ attributes, deduplicationId, quotas }) => {
      const { meter, builder } = builderFor(attributes);
      const destinations = rules.requestDestinations(attributes, meter);
      const charges = Array.from(quotas, ([quota, { amount, bestEffort }]) => ({ quota, amount, bestEffort }));
      const asked = { charges, deduplicationId: deduplicationId || undefined };
      const outcome = dispatchRequest(destinations, asked, builder, handlers, options);
      const hasRules = rules.size > 0;
      return whenSettled(outcome, (settled) => checkResponse(settled, meter, hasRules));
    },
    report: ({ attributes }) => {
      const { meter, builder } = builderFor(attributes);
      const destinations = rules.reportDestinations(attributes, meter);
      if (meter.isExceeded) {
        const service = attributes.get('destination.service.host')?.value;
        limitedLog.warn({ service }, 'reports of a request left out, because its rules take too much work');
      }
      let called = 0;
      for (const { handler, instances } of destinations) {
        const running = handlers.get(handler.key);
        if (running?.adapter.report === undefined) continue;
        called++;
        for (const compiled of instances) {
          const instance = builder.build(compiled);
          if (instance !== undefined) running.report(instance);
        }
      }
      if (destinations.length > 0) metrics.dispatched(called, builder.built);
    },
    update: ({ rules: objects, counts, language: next }) => {
      if (next !== language) compile = createRuleCompiler(next, programs, options);
      language = next;
      rules = compile(objects);
      for (const { object, part, text } of rules.problems) {
        logger.warn({ object, part, problem: text }, 'unusable part of a rule left out');
      }
      handlers.update(rules.handlers, rules.instancesOf);
      metrics.configured(counts);
      metrics.unsatisfied(
        objects.flatMap(({ actions }) => actions).filter(({ handler }) => handlers.get(handler.key) === undefined)
          .length,
      );
      metrics.destinations(countByVariety(rules));
    },
    countsQuota: (name) => rules.quotaNames.has(name),
    failures: () => handlers.failures,
    close: handlers.close,
  };
}

function countByVariety({ destinations }: CompiledRuleSet): ReadonlyMap<Variety, number> {
  const handlers = new Map<Variety, Set<string>>();
  for (const { handler, instances } of destinations) {
    for (const { variety } of instances) {
      handlers.set(variety, (handlers.get(variety) ?? new Set()).add(handler.key));
    }
  }
  return new Map(Array.from(handlers, ([variety, keys]) => [variety, keys.size]));
}
