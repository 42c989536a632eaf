import test from 'ava';
import type { LoadTarget } from '../../../src/generators/endpoints/load-assignment.js';
import type { Gateway, NetworkGateways } from '../../../src/generators/endpoints/network-gateways.js';
import { splitHorizon } from '../../../src/generators/endpoints/split-horizon.js';
import { buildEndpoint } from '../context-builder.js';

function gateways(byNetwork: Readonly<Record<string, readonly string[]>>): NetworkGateways {
  const entries = Object.entries(byNetwork).map(([network, addresses]): [string, Gateway[]] => [
    network,
    addresses.map((address) => ({ address, port: 15443, locality: 'gw' })),
  ]);
  return { byNetwork: new Map(entries), id: 'test' };
}

const target = (address: string, fields: Partial<LoadTarget> = {}): LoadTarget =>
  buildEndpoint({ address, network: 'n1', ...fields });

const summary = (targets: readonly LoadTarget[]) => targets.map(({ address, weight }) => `${address} ${weight}`).sort();

test('endpoints on the same network are reached directly', (t) => {
  const targets = [target('10.0.0.1'), target('10.0.0.2')];
  t.deepEqual(splitHorizon(targets, 'n1', gateways({ n2: ['1.1.1.1'] })), targets);
});

test('endpoints on another network are replaced by its gateway, with the sum of their weights', (t) => {
  const targets = [
    target('10.0.0.1'),
    target('10.2.0.1', { network: 'n2' }),
    target('10.2.0.2', { network: 'n2', weight: 3 }),
  ];
  t.deepEqual(summary(splitHorizon(targets, 'n1', gateways({ n2: ['1.1.1.1'] }))), ['1.1.1.1 4', '10.0.0.1 1']);
});

test('gateways of one network share the sum evenly, and all weights stay in proportion', (t) => {
  const targets = [target('10.0.0.1'), target('10.2.0.1', { network: 'n2' }), target('10.3.0.1', { network: 'n3' })];
  const reached = splitHorizon(
    targets,
    'n1',
    gateways({ n2: ['2.0.0.1', '2.0.0.2'], n3: ['3.0.0.1', '3.0.0.2', '3.0.0.3'] }),
  );
  t.deepEqual(summary(reached), ['10.0.0.1 6', '2.0.0.1 3', '2.0.0.2 3', '3.0.0.1 2', '3.0.0.2 2', '3.0.0.3 2']);
});

test('only healthy endpoints weigh in at a gateway, and a gateway with none behind it is not used', (t) => {
  const targets = [
    target('10.2.0.1', { network: 'n2' }),
    target('10.2.0.2', { network: 'n2', health: 'unhealthy' }),
    target('10.3.0.1', { network: 'n3', health: 'draining' }),
  ];
  const reached = splitHorizon(targets, 'n1', gateways({ n2: ['2.0.0.1'], n3: ['3.0.0.1'] }));
  t.deepEqual(summary(reached), ['2.0.0.1 1']);
});

test('a gateway is spoken to with mutual TLS only when all endpoints behind it take it', (t) => {
  const modesOf = (...modes: LoadTarget['tlsMode'][]) =>
    splitHorizon(
      modes.map((tlsMode, index) => target(`10.2.0.${index}`, { network: 'n2', tlsMode })),
      'n1',
      gateways({ n2: ['2.0.0.1'] }),
    ).map(({ tlsMode }) => tlsMode);
  t.deepEqual(modesOf('mesh', 'mesh'), ['mesh']);
  t.deepEqual(modesOf('mesh', 'disabled'), ['disabled']);
});

test('a gateway stands on its network, in its own locality', (t) => {
  const [gateway] = splitHorizon(
    [target('10.2.0.1', { network: 'n2', locality: 'far' })],
    'n1',
    gateways({ n2: ['2.0.0.1'] }),
  );
  t.like(gateway, { network: 'n2', locality: 'gw', port: 15443, health: 'healthy' });
});

test('a network without gateway, an endpoint without network and a proxy without network are reached directly', (t) => {
  const targets = [target('10.4.0.1', { network: 'n4' }), target('10.5.0.1', { network: '' })];
  t.deepEqual(splitHorizon(targets, 'n1', gateways({ n2: ['2.0.0.1'] })), targets);
  const remote = [target('10.2.0.1', { network: 'n2' })];
  t.deepEqual(splitHorizon(remote, '', gateways({ n2: ['2.0.0.1'] })), remote);
});
