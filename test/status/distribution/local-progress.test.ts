import test from 'ava';
import { createLocalProgress, type LocalProgress } from '../../../src/status/distribution/local-progress.js';
import { connectionOf, createTestMesh, proxyAt, type TestMesh } from './support.js';

const ENTRY =
  'ServiceEntry shop/pay {hosts: [pay.example.com], ports: [{number: 443, name: tls, protocol: TLS}], resolution: DNS}';
const KEY = 'ServiceEntry/shop/pay';

/** Measures the proxies of the mesh; `retained` are the config versions that the ledger was told to keep. */
function createSubject(mesh: TestMesh): { progress: LocalProgress; retained: () => readonly string[] } {
  let retained: ReadonlySet<string> = new Set();
  const progress = createLocalProgress({
    history: {
      get configVersion() {
        return mesh.configVersion;
      },
      changedSince: () => new Set([KEY]),
      changedBetween: () => new Set([KEY]),
      retain: (configVersions) => {
        retained = configVersions;
      },
    },
    context: () => mesh.context,
    connections: { list: () => mesh.connections },
    isPluginOn: true,
    kinds: ['ServiceEntry'],
    affects: () => true,
    configVersionOfNonce: (nonce) => nonce,
    shortTypeName: () => 'cds',
  });
  return { progress, retained: () => [...retained].filter((each) => each !== '').sort() };
}

const connect = (configVersion: string) => connectionOf(proxyAt('books-1', '10.0.0.1'), { cluster: configVersion });

test('connections are compared only after one of them has changed', (t) => {
  const mesh = createTestMesh();
  const before = mesh.configVersion;
  mesh.apply(ENTRY);
  mesh.connections.push(connect(before));
  const { progress } = createSubject(mesh);
  const first = progress.measure();
  t.is(first?.objects.get(KEY)?.ackedProxies, 0);
  t.is(progress.measure(), first);

  mesh.connections[0] = connect(mesh.configVersion);
  t.is(progress.measure(), first);
  progress.connectionsChanged();
  t.is(progress.measure()?.objects.get(KEY)?.ackedProxies, 1);
});

test('a measurement stays the same object when a connection changed in nothing that is measured', (t) => {
  const mesh = createTestMesh();
  mesh.connections.push(connect(mesh.configVersion));
  const { progress } = createSubject(mesh);
  const first = progress.measure();
  mesh.connections[0] = connect(mesh.configVersion);
  progress.connectionsChanged();
  t.is(progress.measure(), first);
});

test('a new snapshot is measured at once, and the states that proxies have are retained', (t) => {
  const mesh = createTestMesh();
  const before = mesh.configVersion;
  mesh.connections.push(connect(before));
  const { progress, retained } = createSubject(mesh);
  const first = progress.measure();
  t.deepEqual(retained(), [before]);
  mesh.apply(ENTRY);
  t.not(progress.measure(), first);
  mesh.connections[0] = connect(mesh.configVersion);
  progress.connectionsChanged();
  progress.measure();
  t.deepEqual(retained(), [mesh.configVersion]);
});
