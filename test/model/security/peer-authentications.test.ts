import test from 'ava';
import type { MeshObject } from '../../../src/config/object.js';
import { modeOfPort } from '../../../src/model/security/mutual-tls.js';
import {
  createPeerAuthenticationIndexer,
  type PeerAuthenticationIndexer,
} from '../../../src/model/security/peer-authentications.js';
import { peerAuthentication, tableOf } from './peer-authentication.js';

const WEB = { app: 'web' };
const ROOT = 'mesh-system';

const indexOf = (
  objects: readonly MeshObject[],
  index: PeerAuthenticationIndexer = createPeerAuthenticationIndexer(),
) => index({ objects: tableOf(objects), mesh: { rootNamespace: ROOT } });

/** The mode of a port with these objects. */
const modeOf = (objects: readonly MeshObject[], { namespace = 'shop', labels = WEB, port = 8080 } = {}) =>
  modeOfPort(indexOf(objects).ofNamespace(namespace).ofWorkload(labels), port);

const mesh = (mode: string) => peerAuthentication(`${ROOT}/mesh`, { mtls: { mode } });
const namespace = (mode: string) => peerAuthentication('shop/all', { mtls: { mode } });
const workload = (mode: string, ports?: Readonly<Record<string, { mode?: string }>>) =>
  peerAuthentication('shop/web', {
    selector: { matchLabels: WEB },
    mtls: { mode },
    ...(ports === undefined ? {} : { portLevelMtls: ports }),
  });

test('nothing said is PERMISSIVE', (t) => {
  t.is(modeOf([]), 'PERMISSIVE');
});

test('each level holds over the one above it: mesh, namespace, workload, port', (t) => {
  const levels = [
    mesh('STRICT'),
    namespace('DISABLE'),
    workload('STRICT', { 8080: { mode: 'DISABLE' }, 9090: { mode: 'PERMISSIVE' } }),
  ];
  t.is(modeOf(levels.slice(0, 1)), 'STRICT');
  t.is(modeOf(levels.slice(0, 2)), 'DISABLE');
  t.is(modeOf(levels), 'DISABLE');
  t.is(modeOf(levels, { port: 9090 }), 'PERMISSIVE');
  t.is(modeOf(levels, { port: 80 }), 'STRICT');
  t.is(modeOf(levels, { labels: { app: 'other' } }), 'DISABLE');
  t.is(modeOf(levels, { namespace: 'elsewhere' }), 'STRICT');
});

test('UNSET inherits at every level, as does a level that says nothing', (t) => {
  const above = [mesh('STRICT'), namespace('UNSET')];
  t.is(modeOf([mesh('UNSET')]), 'PERMISSIVE');
  t.is(modeOf(above), 'STRICT');
  t.is(modeOf([...above, workload('UNSET', { 8080: {} })]), 'STRICT');
  t.is(modeOf([...above, workload('DISABLE', { 8080: { mode: 'UNSET' } })]), 'DISABLE');
  t.is(modeOf([mesh('STRICT'), peerAuthentication('shop/a', { selector: { matchLabels: WEB } })]), 'STRICT');
});

test('the oldest object of a level holds, alone, even when it says nothing', (t) => {
  const at = (name: string, mode: string, creationTimestamp?: string) =>
    peerAuthentication(`shop/${name}`, { mtls: { mode } }, creationTimestamp);
  t.is(modeOf([at('a', 'STRICT', '2026-02-01T00:00:00Z'), at('b', 'DISABLE', '2026-01-01T00:00:00Z')]), 'DISABLE');
  t.is(modeOf([at('a', 'STRICT', '2026-02-01T00:00:00Z'), at('b', 'UNSET', '2026-01-01T00:00:00Z')]), 'PERMISSIVE');
  t.is(modeOf([at('a', 'STRICT'), at('b', 'DISABLE', '2026-01-01T00:00:00Z')]), 'DISABLE', 'no age is the youngest');
  t.is(modeOf([at('b', 'STRICT'), at('a', 'DISABLE')]), 'DISABLE', 'by name where the age is the same');
});

test('the oldest selector that matches holds, and ports of a younger one do not', (t) => {
  const older = peerAuthentication(
    'shop/z',
    { selector: { matchLabels: WEB }, mtls: { mode: 'STRICT' } },
    '2026-01-01T00:00:00Z',
  );
  const younger = workload('DISABLE', { 8080: { mode: 'PERMISSIVE' } });
  t.is(modeOf([younger, older]), 'STRICT');
  t.is(modeOf([younger]), 'PERMISSIVE');
});

test('a selector needs all its labels, and selects in its own namespace alone, the root namespace too', (t) => {
  const selecting = (where: string, matchLabels: Readonly<Record<string, string>>) =>
    peerAuthentication(where, { selector: { matchLabels }, mtls: { mode: 'STRICT' } });
  t.is(modeOf([selecting('shop/a', { app: 'web', version: '2' })]), 'PERMISSIVE');
  t.is(
    modeOf([selecting('shop/a', { app: 'web', version: '2' })], { labels: { ...WEB, ...{ version: '2' } } }),
    'STRICT',
  );
  t.is(modeOf([selecting(`${ROOT}/a`, WEB)]), 'PERMISSIVE');
  t.is(modeOf([selecting(`${ROOT}/a`, WEB)], { namespace: ROOT }), 'STRICT');
  t.is(modeOf([selecting('shop/a', { constructor: 'x' })]), 'PERMISSIVE');
});

test('a selector without labels is none', (t) => {
  t.is(modeOf([peerAuthentication('shop/a', { selector: { matchLabels: {} }, mtls: { mode: 'STRICT' } })]), 'STRICT');
});

test('the same objects give the same index, and so does whatever says nothing new', (t) => {
  const index = createPeerAuthenticationIndexer();
  const before = indexOf([mesh('STRICT'), workload('DISABLE')], index);
  t.is(indexOf([mesh('STRICT'), workload('DISABLE')], index), before);
  // A younger object of a level that is decided.
  t.is(indexOf([mesh('STRICT'), workload('DISABLE'), peerAuthentication(`${ROOT}/z`, {})], index), before);
});

test('namespaces that a change does not concern keep theirs', (t) => {
  const index = createPeerAuthenticationIndexer();
  const before = indexOf([workload('DISABLE')], index);
  const after = indexOf([workload('STRICT')], index);
  t.not(after, before);
  t.not(after.ofNamespace('shop'), before.ofNamespace('shop'));
  t.is(after.ofNamespace('elsewhere'), before.ofNamespace('elsewhere'));
  // The object of the mesh changes all namespaces that inherit from it.
  const strict = indexOf([workload('STRICT'), namespace('DISABLE'), mesh('PERMISSIVE')], index);
  const other = indexOf([workload('STRICT'), namespace('DISABLE'), mesh('STRICT')], index);
  t.is(other.ofNamespace('shop'), strict.ofNamespace('shop'));
  t.not(other.ofNamespace('elsewhere'), strict.ofNamespace('elsewhere'));
});

test('workloads that the same object selects share one result', (t) => {
  const shop = indexOf([workload('STRICT', { 80: { mode: 'DISABLE' } })]).ofNamespace('shop');
  t.is(shop.ofWorkload(WEB), shop.ofWorkload({ ...WEB, version: '1' }));
  t.is(shop.ofWorkload({}), shop.ofWorkload({ app: 'other' }));
  t.is(shop.ofWorkload(WEB).key, 'STRICT,80=DISABLE');
});

test('a namespace says whether any port of it takes plaintext alone', (t) => {
  const hasDisabled = (...objects: readonly MeshObject[]) => indexOf(objects).ofNamespace('shop').hasDisabled;
  t.false(hasDisabled());
  t.false(hasDisabled(mesh('DISABLE'), namespace('STRICT')));
  t.true(hasDisabled(mesh('DISABLE')));
  t.true(hasDisabled(workload('DISABLE')));
  t.true(hasDisabled(workload('STRICT', { 80: { mode: 'DISABLE' } })));
});
