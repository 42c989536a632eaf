import test from 'ava';
import { createEndpointGenerator } from '../../../src/generators/endpoints/endpoint-generator.js';
import { balanceLocalities } from '../../../src/generators/endpoints/locality-balance.js';
import type { LocalityPolicy } from '../../../src/model/traffic/cluster-policy.js';
import { destinationOf } from '../../../src/model/traffic/destination.js';
import { buildContext, buildEndpoints, buildPort, buildProxy, buildService } from '../context-builder.js';
import { at, ENCODER, toJson } from '../served-resources.js';

const PLACES = ['north/a/1', 'north/a/2', 'north/b/1', 'south/c/1', 'west/d/1'];
const shares = (weights: readonly number[] = PLACES.map(() => 1)) =>
  PLACES.map((locality, index) => ({ locality, weight: weights[index] ?? 1 }));

const prioritiesFor = (callerLocality: string, rules: Extract<LocalityPolicy, { type: 'failover' }>['rules'] = []) =>
  balanceLocalities(shares(), { callerLocality, policy: { type: 'failover', rules } }).map((each) => each?.priority);

const weightsFor = (callerLocality: string, to: Readonly<Record<string, number>>, weights?: readonly number[]) => {
  const policy: LocalityPolicy = { type: 'distribute', rules: [{ from: 'north/*', to }] };
  return balanceLocalities(shares(weights), { callerLocality, policy }).map((each) => each?.weight);
};

test('failover prefers the own subzone, then the zone, then the region, then all others', (t) => {
  t.deepEqual(prioritiesFor('north/a/1'), [0, 1, 2, 3, 3]);
});

test('failover prefers the region that the policy names over other regions', (t) => {
  t.deepEqual(prioritiesFor('north/a/1', [{ from: 'north', to: 'west' }]), [0, 1, 2, 4, 3]);
  t.deepEqual(prioritiesFor('north/a/1', [{ from: 'south', to: 'west' }]), [0, 1, 2, 3, 3]);
});

test('priorities have no gaps, which Envoy refuses', (t) => {
  t.deepEqual(prioritiesFor('east/x/1'), [0, 0, 0, 0, 0]);
  t.deepEqual(prioritiesFor('west/d/1'), [1, 1, 1, 1, 0]);
});

test('a caller without a locality sees all localities alike', (t) => {
  t.deepEqual(prioritiesFor(''), [0, 0, 0, 0, 0]);
  t.deepEqual(weightsFor('', { 'south/*': 100 }), [1, 1, 1, 1, 1]);
});

test('distribution gives each pattern its share, and localities without a share nothing', (t) => {
  const [first = 0, second = 0, third, south = 0, west] = weightsFor('north/a/1', { 'north/a/*': 80, 'south/*': 20 });
  t.is(first + second, 4 * south);
  t.is(first, second);
  t.deepEqual([third, west], [undefined, undefined]);
});

test('the most specific pattern decides, and localities of one pattern share by their weights', (t) => {
  const weights = weightsFor('north/b/1', { 'north/*': 10, 'north/a/1': 50, '*': 40 }, [1, 3, 1, 2, 2]);
  t.deepEqual(weights, [500_000, 75_000, 25_000, 200_000, 200_000]);
});

test('a caller that no rule names sees all localities alike', (t) => {
  t.deepEqual(weightsFor('south/c/1', { 'south/*': 100 }), [1, 1, 1, 1, 1]);
});

const service = buildService({ ports: [buildPort()] });
const NAME = `outbound|80||${service.hostname}`;

function prioritiesServed(callerLocality: string, balancesByLocality: boolean) {
  const generator = createEndpointGenerator(ENCODER);
  const cluster = {
    port: buildPort(),
    destination: destinationOf(service, 80),
    policy: {
      loadBalancer: { type: 'leastRequest' },
      connections: { connectTimeoutMs: 1000, upgradesToHttp2: false },
      tls: { mode: 'plaintext' },
      localities: { type: 'failover', rules: [] },
    },
  } as const;
  const endpoints = PLACES.map((locality, index) => ({ locality, address: `10.0.0.${index + 1}` }));
  const context = buildContext({
    services: [service],
    endpoints: [buildEndpoints(service, endpoints)],
    traffic: { id: '', balancesByLocality, clustersOf: () => [cluster] },
  });
  const scope = generator.scope(context, buildProxy({ locality: callerLocality }));
  const resource = generator.generate(context, scope, NAME);
  if (resource === undefined) throw new Error('no assignment');
  const json = toJson(resource);
  return { key: scope.key, priorities: PLACES.map((_, index) => at(json, `endpoints.${index}.priority`) ?? 0) };
}

test('an assignment follows the locality of its proxy', (t) => {
  const [north, west] = ['north/a/1', 'west/d/1'].map((locality) => prioritiesServed(locality, true));
  t.deepEqual(north?.priorities, [0, 1, 2, 3, 3]);
  t.deepEqual(west?.priorities, [1, 1, 1, 1, 0]);
  t.not(north?.key, west?.key);
});

test('proxies of all localities share assignments while no policy balances by locality', (t) => {
  t.is(prioritiesServed('north/a/1', false).key, prioritiesServed('west/d/1', false).key);
});

test('an assignment of a subset has the endpoints with its labels', (t) => {
  const subset = { name: 'canary', labels: { version: '2' } };
  const [port] = service.ports;
  if (port === undefined) throw new Error('no port');
  const destination = { ...destinationOf(service, 80), subset };
  const policy = {
    loadBalancer: { type: 'leastRequest' },
    connections: { connectTimeoutMs: 1000, upgradesToHttp2: false },
    tls: { mode: 'plaintext' },
  } as const;
  const endpoints = [{ labels: { version: '1' } }, { address: '10.0.0.2', labels: { version: '2', app: 'web' } }];
  const context = buildContext({
    services: [service],
    endpoints: [buildEndpoints(service, endpoints)],
    traffic: { id: '', balancesByLocality: false, clustersOf: () => [{ port, destination, policy }] },
  });
  const generator = createEndpointGenerator(ENCODER);
  const scope = generator.scope(context, buildProxy());
  const resource = generator.generate(context, scope, `outbound|80|canary|${service.hostname}`);
  const json = resource === undefined ? undefined : toJson(resource);
  t.is(at(json, 'endpoints.0.lbEndpoints.0.endpoint.address.socketAddress.address'), '10.0.0.2');
  t.is(at(json, 'endpoints.0.lbEndpoints.1'), undefined);
});
