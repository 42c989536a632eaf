import test from 'ava';
import type { ServiceConfig } from '../../../../src/config/policy/client-config.js';
import type { ServiceConfigSource } from '../../../../src/policy/server/compiled-services.js';
import { createCompletePolicies } from '../../../../src/policy/server/discovery/complete-policies.js';
import { createFakeClock } from '../../../support/fake-clock.js';

const PLAN = { match: [], limits: [], anonymous: 'never', consumers: [] } as const;
const HOST = 'web.shop.svc.cluster.local';

function serviceWith(plans?: readonly string[]): ServiceConfig {
  const config = { disableCheckCalls: false, disableReportCalls: false, httpApiSpec: [], quotaSpec: [] };
  return { ...config, ...(plans && { plans }) };
}

function setUp() {
  const clock = createFakeClock();
  let services: ReadonlyMap<string, ServiceConfig> | undefined;
  const plans = new Map<string, typeof PLAN>();
  const used: ServiceConfigSource[] = [];
  const policies = createCompletePolicies(
    { services: () => services, plan: (name) => plans.get(name), planNames: () => [...plans.keys()] },
    clock,
    (next) => used.push(next),
  );
  return {
    clock,
    used,
    policies,
    servicesCome: (config: ServiceConfig) => {
      services = new Map([[HOST, config]]);
      policies.changed();
    },
    planComes: (name: string) => {
      plans.set(name, PLAN);
      policies.changed();
    },
  };
}

test('plans alone put nothing in force: without services, every host would be unknown', (t) => {
  const { used, planComes, servicesCome } = setUp();
  planComes('shop/gold');
  t.is(used.length, 0);
  servicesCome(serviceWith(['shop/gold']));
  t.is(used.length, 1);
  t.is(used[0]?.plan?.('shop/gold'), PLAN);
});

test('services wait for a plan that they name, and the former ones stay in force', (t) => {
  const { used, planComes, servicesCome } = setUp();
  servicesCome(serviceWith());
  servicesCome(serviceWith(['shop/gold']));
  t.is(used.length, 1);
  t.is(used[0]?.find(HOST)?.plans, undefined, 'not changed by the later response');
  planComes('shop/gold');
  t.is(used.length, 2);
  t.deepEqual(used[1]?.find(HOST)?.plans, ['shop/gold']);
});

test('after five seconds the services are in force without the plan', (t) => {
  const { clock, used, servicesCome } = setUp();
  servicesCome(serviceWith(['shop/gold']));
  clock.advance(4_999);
  t.is(used.length, 0);
  clock.advance(1);
  t.is(used.length, 1);
  t.is(used[0]?.plan?.('shop/gold'), undefined);
});

test('nothing comes into force after the stop', (t) => {
  const { clock, used, policies, servicesCome } = setUp();
  servicesCome(serviceWith(['shop/gold']));
  policies.stop();
  clock.advance(10_000);
  t.is(used.length, 0);
});
