import { Registry } from 'prom-client';
import { createBackgroundLane } from '../../src/base/background-lane.js';
import { systemClock } from '../../src/base/clock.js';
import { createRegexPrograms } from '../../src/config/regex/regex-programs.js';
import type { AttributeBag } from '../../src/policy/client/attribute-bag.js';
import type { AdapterEnvironment } from '../../src/policy/rules/adapters/adapter.js';
import { createSeriesRegistry } from '../../src/policy/rules/adapters/series/series-registry.js';
import { createReportBudget } from '../../src/policy/rules/reports/report-budget.js';
import { createRuleHandler, type RuleHandler } from '../../src/policy/rules/rule-handler.js';
import { createRuleMetrics } from '../../src/policy/rules/rule-metrics.js';
import {
  type HandlerObject,
  type InstanceObject,
  NO_RULES,
  type RuleObject,
} from '../../src/policy/rules/rule-objects.js';
import { createLimitedLog } from '../../src/telemetry/limited-log.js';
import { createMetrics } from '../../src/telemetry/metrics.js';
import { RULE_ATTRIBUTES } from './rule-attributes.js';

const DISPATCHED_RULES = 500;
const DISPATCHED_INSTANCES = 200;

/** With what the names of these steps begin. */
export const DISPATCH_STEP = `${DISPATCHED_RULES} rules `;

/** The condition of a rule, by its number. No value of the first three kinds is in two rules. Rule 7 matches a request. */
const CONDITIONS: Readonly<Record<string, (index: number) => string>> = {
  'of a service': (index) => `destination.service.host == "${index === 7 ? 'shop.example' : `svc-${index}`}"`,
  'of a header': (index) => `(request.headers["x-api-key"] | "none") == "key-${index}" && request.method != "TRACE"`,
  'of a path': (index) => `request.path.startsWith("/v1/resource${index}/") && request.method != "TRACE"`,
  'of two callers': (index) =>
    `(source.principal == "spiffe://cluster.local/ns/web/sa/caller-${index}" || ${
      index % 100 === 7
        ? 'source.principal == "spiffe://cluster.local/ns/web/sa/front"'
        : `source.principal == "spiffe://cluster.local/ns/batch/sa/caller-${index}"`
    }) && request.method == "GET"`,
  // It needs no value, so that each is evaluated; some parts are equal in all rules.
  'of no value': (index) =>
    `request.method != "M${index}" && request.headers["x-tenant-${index}"] != "a" && request.headers["accept"] != "${index === 7 ? 'text/html' : 'application/json'}"`,
  'of a header that must be there': (index) =>
    `request.headers["${index === 7 ? 'accept' : `x-tenant-${index}`}"] != "" && request.method != "M${index}"`,
  'of one of two values': (index) =>
    `(request.headers["x-tenant-${index}"] == "a" || source.principal == "spiffe://cluster.local/ns/web/sa/${
      index === 7 ? 'front' : `caller-${index}`
    }") && request.method != "TRACE"`,
  // No part is in two rules, and none needs a value.
  'of different parts without a value': (index) =>
    `${index === 7 ? 'request.path' : `request.headers["x-owner-${index}"]`} ${index === 7 ? '!=' : '=='} source.principal && request.method != "M${index}"`,
  'of a regular expression': (index) => `"^/v[0-9]+/resource${index}(/|$)".matches(request.path)`,
};
const KINDS = Object.keys(CONDITIONS);

const LIST: HandlerObject = handlerOf('list', 'listchecker', {
  entryType: 'STRINGS',
  overrides: ['/closed'],
  blacklist: true,
  cachingInterval: '1s',
  cachingUseCount: 1,
});
const COUNTER: HandlerObject = handlerOf('counter', 'memquota', {
  minDeduplicationDuration: '1s',
  quotas: [{ name: 'requests-0', maxAmount: 1_000_000_000, validDuration: '60s', overrides: [] }],
});

/** Rules of one kind of condition, or of all kinds, in turns. */
export interface RuleDispatch {
  readonly name: string;
  /** Checks a request that charges a quota: finds its rules, makes their instances and calls their handlers. */
  dispatch(attributes: AttributeBag): number;
  readonly close: RuleHandler['close'];
}

/** The handler of rules with 500 rules and 200 instances, for each kind of condition. */
export function createRuleDispatches(): readonly RuleDispatch[] {
  return [...KINDS.map((kind) => [kind]), KINDS].map((kinds): RuleDispatch => {
    const handler = openHandler();
    handler.update({ ...NO_RULES, rules: rulesOf(kinds) });
    const quotas = [{ quota: 'requests-0', charge: 1 }];
    return {
      name: `${DISPATCH_STEP}${kinds.length === 1 ? kinds[0] : 'of all kinds'}`,
      dispatch: (attributes) => {
        const decision = handler.check({
          ...{ attributes, quotas, deduplicationId: undefined, failPolicy: {}, transport: {} },
        });
        return decision instanceof Promise ? 0 : 1;
      },
      close: handler.close,
    };
  });
}

function rulesOf(kinds: readonly string[]): readonly RuleObject[] {
  const entries = Array.from({ length: DISPATCHED_INSTANCES / 2 }, (_, index) =>
    instanceOf(`path-${index}`, 'listentry', 'check', { value: index % 2 === 0 ? 'request.path' : 'request.method' }),
  );
  const quotas = Array.from({ length: DISPATCHED_INSTANCES / 2 }, (_, index) =>
    instanceOf(`requests-${index}`, 'quota', 'quota', {
      dimensions: { key: 'request.headers["x-api-key"] | "none"', host: 'destination.service.host' },
    }),
  );
  return Array.from({ length: DISPATCHED_RULES }, (_, index): RuleObject => {
    const condition = CONDITIONS[kinds[index % kinds.length] ?? ''];
    const pick = (instances: readonly InstanceObject[]) => instances.slice(index % instances.length).slice(0, 1);
    return {
      key: `rule/shop/rule-${index}`,
      object: {},
      spec: { match: condition?.(index) ?? '', requestHeaderOperations: [], responseHeaderOperations: [] },
      namespace: undefined,
      actions: [
        { handler: LIST, instances: pick(entries) },
        { handler: COUNTER, instances: pick(quotas) },
      ],
      attributes: RULE_ATTRIBUTES,
    };
  });
}

function instanceOf(name: string, template: string, variety: 'check' | 'quota', params: object): InstanceObject {
  return {
    key: `instance/shop/${name}`,
    object: {},
    spec: { params: { ...params } },
    template: { type: 'compiled', template: { name: template, variety } },
    attributes: RULE_ATTRIBUTES,
  };
}

function handlerOf(name: string, compiledAdapter: 'listchecker' | 'memquota', params: object): HandlerObject {
  return {
    key: `handler/shop/${name}`,
    spec: { compiledAdapter, params: { ...params } },
    adapter: { type: 'compiled' },
  };
}

function openHandler(): RuleHandler {
  const silent = { debug: ignore, info: ignore, warn: ignore, error: ignore, isDebugEnabled: () => false };
  return createRuleHandler({
    ...reachesNothing(),
    programs: createRegexPrograms({ scope: 'any part' }),
    metrics: createRuleMetrics(createMetrics(new Registry())),
    logger: silent,
    limitedLog: createLimitedLog(silent, systemClock),
  });
}

function ignore(): void {}

/** The adapters of these rules reach no server. */
function reachesNothing(): AdapterEnvironment {
  const fail = (): never => {
    throw new Error('no server is reached here');
  };
  return {
    clock: systemClock,
    random: Math.random,
    writeLine: ignore,
    openStore: fail,
    judgeBy: fail,
    buildOwn: fail,
    fetchText: fail,
    openSender: fail,
    budget: createReportBudget(),
    reports: { sent: ignore, lost: ignore },
    randomId: (bytes) => '1'.padStart(2 * bytes, '0'),
    background: createBackgroundLane(systemClock, 0.1),
    series: createSeriesRegistry({ nowMs: systemClock.monotonicMs, isTaken: () => false, onRefused: ignore }),
  };
}
