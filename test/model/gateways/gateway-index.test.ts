import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { createGatewayIndexer } from '../../../src/model/gateways/gateway-index.js';
import { gatewayObject } from './gateway-object.js';

const SERVERS = [{ port: { number: 80, name: 'http', protocol: 'HTTP' }, hosts: ['*'] }];
const LABELS = { app: 'ingress', zone: 'a' };
const ROUTER = { namespace: 'edge', labels: LABELS, onlyOwnNamespace: false };

const sourceOf = (objects: readonly MeshObject[]) => ({
  objects: new Map([['Gateway', new Map(objects.map((each) => [each.metadata.name, each]))]]),
  mesh: { rootNamespace: 'mesh-system' },
});

test('a Gateway selects the routers that have all its labels, and without a selector all routers', (t) => {
  const index = createGatewayIndexer();
  const gateways = index(
    sourceOf([
      gatewayObject('both', SERVERS, { selector: { app: 'ingress', zone: 'a' } }),
      gatewayObject('other', SERVERS, { selector: { app: 'ingress', zone: 'b' } }),
      gatewayObject('all', SERVERS, { selector: {} }),
    ]),
  );
  const idsFor = (labels: Readonly<Record<string, string>>) =>
    gateways.of({ ...ROUTER, labels }).gateways.map(({ id }) => id);
  t.deepEqual(idsFor(LABELS), ['edge/all', 'edge/both']);
  t.deepEqual(idsFor({}), ['edge/all']);
});

test('Gateways of the router and the root namespace come first, and others may be left out', (t) => {
  const gateways = createGatewayIndexer()(
    sourceOf([
      gatewayObject('foreign', SERVERS, { namespace: 'team', created: '2020-01-01T00:00:00Z' }),
      gatewayObject('root', SERVERS, { namespace: 'mesh-system', created: '2025-01-01T00:00:00Z' }),
      gatewayObject('own', SERVERS, { created: '2024-01-01T00:00:00Z' }),
    ]),
  );
  const idsFor = (onlyOwnNamespace: boolean) =>
    gateways.of({ ...ROUTER, onlyOwnNamespace }).gateways.map(({ id }) => id);
  t.deepEqual(idsFor(false), ['edge/own', 'mesh-system/root', 'team/foreign']);
  t.deepEqual(idsFor(true), ['edge/own']);
});

test('the selection stays the same object until one of its Gateways changes', (t) => {
  const indexer = createGatewayIndexer();
  const own = gatewayObject('own', SERVERS);
  const before = indexer(sourceOf([own])).of(ROUTER);
  const unrelated = gatewayObject('unrelated', SERVERS, { selector: { app: 'other' } });
  t.is(indexer(sourceOf([own, unrelated])).of(ROUTER), before);
  t.not(
    indexer(sourceOf([gatewayObject('own', [...SERVERS], { created: '2026-01-01T00:00:00Z' })])).of(ROUTER),
    before,
  );
  t.is(indexer(sourceOf([])).of(ROUTER).key, '');
});
