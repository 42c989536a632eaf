import test from 'ava';
import { Registry } from 'prom-client';
import { countRefused } from '../../../src/bootstrap/policy/count-refused.js';
import { createRegexPrograms } from '../../../src/config/regex/regex-programs.js';
import { createResolvedRules } from '../../../src/model/policy/rules/resolved-rules.js';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import type { Adapter } from '../../../src/policy/rules/adapters/adapter.js';
import { createRuleHandler } from '../../../src/policy/rules/rule-handler.js';
import { createRuleMetrics } from '../../../src/policy/rules/rule-metrics.js';
import type { HandlerObject } from '../../../src/policy/rules/rule-objects.js';
import { createLimitedLog } from '../../../src/telemetry/limited-log.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { policyContext } from '../../status/analysis/support.js';
import { ACCOUNTS } from '../../support/adapter-descriptors.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { settled } from '../../support/policy-server.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { unreachedEnvironment } from './unreached-environment.js';

const SHOP = bagOf(new Map([['destination.service.namespace', { type: 'string', value: 'shop' } as const]]));

/** The rule handler with the adapters of the test, by the name of their handler. */
function createRig(adapters: Readonly<Record<string, () => Partial<Adapter>>> = {}) {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const registry = new Registry();
  const resolve = createResolvedRules('legacy');
  const build = ({ key }: HandlerObject): Adapter => {
    const adapter = adapters[key.slice(key.lastIndexOf('/') + 1)]?.();
    if (adapter === undefined) throw new Error('params: cannot be used');
    return { close: async () => undefined, ...adapter };
  };
  const handler = createRuleHandler({
    programs: createRegexPrograms({ scope: 'any part' }),
    metrics: createRuleMetrics(createMetrics(registry)),
    logger,
    limitedLog: createLimitedLog(logger, clock),
    ...unreachedEnvironment(clock),
    build,
  });
  return {
    handler,
    clock,
    apply: (text: string, refused: readonly string[] = []) => {
      const rules = resolve(policyContext(text));
      handler.update({ ...rules, counts: countRefused(rules.counts, refused) });
    },
    check: () =>
      handler.check({ attributes: SHOP, quotas: [], deduplicationId: undefined, failPolicy: {}, transport: {} }),
    /** The values of families whose name begins so, without the prefix. */
    values: async (prefix: string): Promise<Readonly<Record<string, number>>> => {
      const lines = (await registry.metrics()).split('\n').filter((line) => line.startsWith(prefix));
      return Object.fromEntries(
        lines.map((line) => {
          const at = line.lastIndexOf(' ');
          return [line.slice(prefix.length, at), Number(line.slice(at + 1))];
        }),
      );
    },
  };
}

const allow = (): Partial<Adapter> => ({ check: () => ({ status: { code: 'OK', message: '' } }) });

test('the numbers of the configuration are those of its objects, and of those with a problem', async (t) => {
  const rig = createRig({ good: allow });
  rig.apply('rule shop/none {}');
  const { attributes_total: known = 0 } = await rig.values('policy_config_');
  const objects = `attributemanifest shop/a {attributes: {request.tier: {valueType: STRING}, request.seat: {valueType: STRING}}}
    adapter shop/mine {templates: [none]}
    template shop/accounts {descriptor: ${ACCOUNTS}}
    handler shop/good {compiledAdapter: denier}
    handler shop/broken {compiledAdapter: denier}
    handler shop/lost {adapter: none, connection: {address: "a:1"}}
    instance shop/any {compiledTemplate: checknothing}
    instance shop/wrong {compiledTemplate: listentry, params: {value: request.tear}}
    rule shop/one {actions: [{handler: good, instances: [any]}, {handler: broken, instances: [any]}]}
    rule shop/two {actions: [{handler: good, instances: [wrong]}]}
    rule shop/three {match: "request.tear == 1", actions: [{handler: good, instances: [any]}]}`;
  rig.apply(objects);
  const expected = {
    adapter_info_configs_total: 1,
    adapter_info_config_errors_total: 1,
    attributes_total: known + 2,
    handler_configs_total: 3,
    handler_validation_error_total: 1,
    instance_configs_total: 2,
    instance_config_errors_total: 1,
    rule_configs_total: 3,
    rule_config_errors_total: 2,
    rule_config_match_error_total: 1,
    template_configs_total: 1,
    template_config_errors_total: 0,
    unsatisfied_action_handler_total: 1,
  };
  t.deepEqual(await rig.values('policy_config_'), expected);
  rig.apply(objects, ['template/shop/cut', 'template/shop/cut', 'handler/shop/typo', 'QuotaSpec/shop/q']);
  t.deepEqual(await rig.values('policy_config_'), {
    ...expected,
    template_config_errors_total: 1,
    handler_validation_error_total: 2,
  });
});

const rule = (name: string, params = '{}'): string => `
  rule shop/${name} {actions: [{handler: ${name}, instances: [any]}]}
  handler shop/${name} {compiledAdapter: noop, params: ${params}}`;
const ANY = 'instance shop/any {compiledTemplate: checknothing}';

test('handlers that are built, reused and closed, and those that fail, are counted at each change', async (t) => {
  const failing = (): Partial<Adapter> => ({ ...allow(), close: async () => Promise.reject(new Error('busy')) });
  const rig = createRig({ a: allow, b: failing });
  const counts = () => rig.values('policy_handler_');
  rig.apply(`${ANY}${rule('a')}${rule('b')}${rule('none')}`);
  t.like(await counts(), { new_handlers_total: 2, reused_handlers_total: 0, handler_build_failures_total: 1 });
  rig.apply(`${ANY}${rule('a')}`);
  await settled();
  t.deepEqual(await counts(), {
    new_handlers_total: 0,
    reused_handlers_total: 1,
    closed_handlers_total: 1,
    handler_build_failures_total: 0,
    handler_close_failures_total: 1,
  });
});

test('each dispatch is counted with its handlers and instances, and each call with its time and outcome', async (t) => {
  const rig = createRig({
    a: allow,
    b: () => ({
      check: () => {
        throw new Error('broken');
      },
    }),
  });
  rig.apply(`${ANY}${rule('a')}${rule('b')}`);
  await rig.check();
  t.like(await rig.values('policy_dispatcher_'), {
    'destinations_per_variety_total{variety="check"}': 2,
    'destinations_per_variety_total{variety="report"}': 0,
    destinations_per_request_sum: 2,
    instances_per_request_sum: 1,
  });
  const labels = (name: string, error: boolean) =>
    `{meshFunction="checknothing",handler="handler/shop/${name}",adapter="noop",error="${error}"}`;
  t.like(await rig.values('policy_runtime_dispatch'), {
    [`es_total${labels('a', false)}`]: 1,
    [`es_total${labels('b', true)}`]: 1,
    [`_duration_seconds_count${labels('a', false)}`]: 1,
  });
});

test('calls that wait and timers of a handler are counted while they last', async (t) => {
  let answer = (): void => undefined;
  const waiting = new Promise<void>((resolve) => {
    answer = resolve;
  });
  const rig = createRig({
    a: () => ({ check: () => waiting.then(() => ({ status: { code: 'OK', message: '' } })), report: () => undefined }),
  });
  rig.apply(`${ANY}${rule('a')}
    rule shop/log {actions: [{handler: a, instances: [entry]}]}
    instance shop/entry {compiledTemplate: reportnothing}`);
  const counts = async () => {
    const { 'workers_total{handler="handler/shop/a"}': workers, 'daemons_total{handler="handler/shop/a"}': daemons } =
      await rig.values('policy_handler_');
    return [workers, daemons];
  };
  const decision = rig.check();
  rig.handler.report?.({ attributes: SHOP, service: {} });
  t.deepEqual(await counts(), [1, 1]);
  answer();
  await decision;
  rig.clock.advance(100);
  t.deepEqual(await counts(), [0, 0]);
});
