import test from 'ava';
import { Registry } from 'prom-client';
import type { PolicyServerConfig, QuotaLimit } from '../../../src/config/policy-server/policy-server-config.js';
import { DEFAULT_REGEX_LIMITS } from '../../../src/config/regex/regex-limits.js';
import { createResolvedRules } from '../../../src/model/policy/rules/resolved-rules.js';
import { bagOf, EMPTY_LAYER } from '../../../src/policy/client/attribute-bag.js';
import { createMemoryStore } from '../../../src/policy/quota/memory/memory-store.js';
import { createPolicyHandlers } from '../../../src/policy/server/policy-handlers.js';
import { createLimitedLog } from '../../../src/telemetry/limited-log.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { policyContext } from '../../status/analysis/support.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { settled } from '../../support/policy-server.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { unreachedEnvironment } from '../rules/unreached-environment.js';
import { createRecordingTransport } from './policy-server-rig.js';

const RATE: QuotaLimit = {
  name: 'rate',
  maxAmount: 10,
  validDurationMs: 60_000,
  window: 'rolling',
  dimensions: [],
  overrides: [],
};
const LOCAL: PolicyServerConfig = {
  quotas: [RATE],
  storage: { type: 'memory', maxCounters: 100 },
  reports: { log: false },
  callers: { outboundChecks: false, gatewayNamespaces: [] },
  overload: { shed: true, shedAfterMs: 500, maxPendingChecks: 100 },
};
const SWITCHES = { disableCheckCache: false, disableQuotaCache: false, disableReportBatch: false };
const remote = (address: string): PolicyServerConfig => ({ ...LOCAL, backend: { address, transport: SWITCHES } });

function setUp(config = LOCAL) {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const events: string[] = [];
  const transport = createRecordingTransport();
  let stores = 0;
  const handlers = createPolicyHandlers(config, {
    openStore: ({ type }) => {
      const id = `${type} store ${stores++}`;
      events.push(`${id} opened`);
      return {
        ...createMemoryStore({ clock, maxCounters: 100 }),
        close: async () => void events.push(`${id} closed`),
      };
    },
    connect: ({ address }) => {
      if (address === '') throw new Error('backend.tls.caFile cannot be read');
      events.push(`connected to ${address}`);
      return {
        ...transport,
        check: async (request, options) => transport.check(request, options),
        close: () => void events.push(`disconnected from ${address}`),
      };
    },
    readKeyFile: (file) => {
      throw new Error(`${file} cannot be read`);
    },
    metrics: createMetrics(new Registry()),
    clock,
    random: () => 0.5,
    createId: () => 'id',
    logger,
    limitedLog: createLimitedLog(logger, clock),
    unsharedServers: () => 1,
    adapters: unreachedEnvironment(clock),
    regexLimits: DEFAULT_REGEX_LIMITS,
  });
  const charge = async (amount: number): Promise<string> => {
    const quotas = [{ quota: 'rate', charge: amount }];
    const check = { attributes: bagOf(EMPTY_LAYER), quotas, deduplicationId: undefined, failPolicy: {}, transport: {} };
    return (await handlers.chain.check(check)).status.code;
  };
  return { handlers, charge, events, transport, log: logger.records };
}

test('counters stay when the configuration changes and names the same storage', async (t) => {
  const { handlers, charge, events } = setUp();
  t.is(await charge(8), 'OK');
  handlers.update({ ...LOCAL, quotas: [{ ...RATE, maxAmount: 12 }] });
  t.is(await charge(5), 'RESOURCE_EXHAUSTED');
  t.is(await charge(4), 'OK');
  t.deepEqual(events, ['memory store 0 opened']);
});

test('another storage counts from zero, and the former one is closed', async (t) => {
  const { handlers, charge, events } = setUp();
  await charge(10);
  handlers.update({ ...LOCAL, storage: { type: 'memory', maxCounters: 7 } });
  t.is(await charge(10), 'OK');
  t.deepEqual(events, ['memory store 0 opened', 'memory store 1 opened', 'memory store 0 closed']);
  await handlers.chain.close();
  t.is(events.at(-1), 'memory store 1 closed');
});

test('a remote server takes the place of the quotas, and gives it back', async (t) => {
  const { handlers, charge, events, transport } = setUp();
  await charge(10);
  handlers.update(remote('one:1'));
  handlers.update(remote('one:1'));
  t.is(await charge(10), 'OK');
  t.is(transport.checks.length, 1);
  handlers.update(remote('two:2'));
  handlers.update(LOCAL);
  t.is(await charge(10), 'OK');
  await settled();
  t.deepEqual(events.slice(0, 5), [
    'memory store 0 opened',
    'connected to one:1',
    'memory store 0 closed',
    'connected to two:2',
    'memory store 1 opened',
  ]);
  t.deepEqual(events.slice(5).sort(), ['disconnected from one:1', 'disconnected from two:2']);
});

test('limits of plans are counted here, also with a remote server for quotas', async (t) => {
  const { handlers, events } = setUp(remote('one:1'));
  const limit = { ...RATE, name: 'shop/gold all', maxAmount: 1, dimensions: [], overrides: [] };
  t.is(handlers.quotas(), undefined);
  handlers.usePlans([limit]);
  const check = async () => {
    const planCharges = [{ policy: 'all', limit }];
    const checked = { attributes: bagOf(new Map()), quotas: [], planCharges, deduplicationId: undefined };
    return (await handlers.chain.check({ ...checked, failPolicy: {}, transport: {} })).status.code;
  };
  t.deepEqual([await check(), await check()], ['OK', 'RESOURCE_EXHAUSTED']);
  t.is((await handlers.quotas()?.use())?.[0]?.quota, 'shop/gold all');
  t.is(handlers.shares(), undefined, 'proxies get no shares of what the remote server counts');
  handlers.usePlans([]);
  await settled();
  t.is(handlers.quotas(), undefined);
  t.deepEqual(events, ['connected to one:1', 'memory store 0 opened', 'memory store 0 closed']);
});

test('the former handlers stay when the changed configuration cannot be used', async (t) => {
  const { handlers, charge } = setUp();
  const dimension = { text: 'request.api_key', attribute: 'request.api_key' };
  const keys = { dimension, values: [], file: '/keys' };
  await charge(8);
  t.throws(() => handlers.update({ ...LOCAL, quotas: [{ ...RATE, keys }] }), { message: '/keys cannot be read' });
  t.throws(() => handlers.update(remote('')), { message: 'backend.tls.caFile cannot be read' });
  t.is(await charge(3), 'RESOURCE_EXHAUSTED');
  t.is(await charge(2), 'OK');
  t.true(handlers.isUp());
});

test('a store that was opened for a configuration that cannot be used is closed', async (t) => {
  const { handlers, charge, events } = setUp(remote('one:1'));
  const dimension = { text: 'request.api_key', attribute: 'request.api_key' };
  const keys = { dimension, values: [], file: '/keys' };
  t.throws(() => handlers.update({ ...LOCAL, quotas: [{ ...RATE, keys }] }), { message: '/keys cannot be read' });
  await settled();
  t.deepEqual(events, ['connected to one:1', 'memory store 0 opened', 'memory store 0 closed']);
  t.is(await charge(20), 'OK');
});

const COUNTED = createResolvedRules('legacy')(
  policyContext(`rule shop/r {actions: [{handler: counter, instances: [rate]}]}
    handler shop/counter {compiledAdapter: memquota, params: {quotas: [{name: rate, maxAmount: 5, validDuration: 60s}]}}
    instance shop/rate {compiledTemplate: quota}`),
);
const IN_SHOP = bagOf(new Map([['destination.service.namespace', { type: 'string', value: 'shop' } as const]]));

test('a quota that a rule counts needs no limit in the configuration, and is charged by the rule', async (t) => {
  const { handlers, log } = setUp({ ...LOCAL, quotas: [] });
  handlers.useRules(COUNTED);
  const charge = async (quota: string, amount: number) => {
    const quotas = [{ quota, charge: amount }];
    const check = { attributes: IN_SHOP, quotas, deduplicationId: undefined, failPolicy: {}, transport: {} };
    return (await handlers.chain.check(check)).status.code;
  };
  t.deepEqual([await charge('rate', 5), await charge('rate', 1)], ['OK', 'RESOURCE_EXHAUSTED']);
  t.deepEqual(log, []);
  t.is(await charge('unknown', 1), 'OK');
  t.like(log, [{ message: 'quota has no limit, all charges are granted' }]);
});

test('rules do not apply while a remote server decides, and apply again after it', async (t) => {
  const { handlers } = setUp(remote('one:1'));
  handlers.useRules(COUNTED);
  const exhausted = async () => {
    const quotas = [{ quota: 'rate', charge: 6 }];
    const check = { attributes: IN_SHOP, quotas, deduplicationId: undefined, failPolicy: {}, transport: {} };
    return (await handlers.chain.check(check)).exhaustedQuotas;
  };
  t.is(handlers.failedHandlers(), undefined);
  t.deepEqual(await exhausted(), []);
  handlers.update({ ...LOCAL, quotas: [] });
  t.deepEqual(await exhausted(), ['rate']);
  t.is(handlers.failedHandlers()?.size, 0);
});
