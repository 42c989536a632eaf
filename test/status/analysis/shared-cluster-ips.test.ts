import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { analysisInputOf } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { contextOf, port, service } from '../../model/mesh-objects.js';
import { ENFORCEMENT, shown } from './support.js';

const aged = (path: string, clusterIP: string, creationTimestamp: string, ports = [port(80)]): MeshObject =>
  service(path, { clusterIP, ports }, { creationTimestamp });
const OLD = '2026-01-01T00:00:00Z';
const NEW = '2026-02-01T00:00:00Z';

function said(...objects: readonly MeshObject[]): readonly string[] {
  return analyze(analysisInputOf(contextOf(objects), ENFORCEMENT)).map(shown);
}

test('the younger of two Services with one cluster IP is MESH0502', (t) => {
  t.deepEqual(said(aged('shop/young', '10.96.0.1', NEW), aged('shop/old', '10.96.0.1', OLD)), [
    'MESH0502 Service/shop/young spec.clusterIP: 10.96.0.1 is also the cluster IP of old.shop.svc.cluster.local, ' +
      'which receives the connections to the ports that both have; give one of the Services another clusterIP',
  ]);
});

test('other addresses, other ports and headless Services are no conflict', (t) => {
  t.deepEqual(said(aged('shop/young', '10.96.0.2', NEW), aged('shop/old', '10.96.0.1', OLD)), []);
  t.deepEqual(said(aged('shop/young', '10.96.0.1', NEW, [port(81)]), aged('shop/old', '10.96.0.1', OLD)), []);
  t.deepEqual(said(aged('shop/young', 'None', NEW), aged('shop/old', 'None', OLD)), []);
});
