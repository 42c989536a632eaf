import test from 'ava';
import { startServer } from './support/running-server.js';

const UNBOUND = JSON.stringify({
  apiVersion: 'config.mesh.internal/v1alpha2',
  kind: 'QuotaSpec',
  metadata: { name: 'idle', namespace: 'shop' },
  spec: { rules: [{ quotas: [{ quota: 'q' }] }] },
});

interface Problem {
  readonly code?: string;
}

test('NAV_ENABLE_ANALYSIS=true reports messages, and false runs no analyzer', async (t) => {
  const codesOf = async (value: string): Promise<readonly (string | undefined)[]> => {
    const variables = { NAV_ENABLE_ANALYSIS: value };
    const server = await startServer(t, { files: { 'idle.yaml': UNBOUND }, variables });
    const problems = await server.http.json<Problem[]>('/debug/config_problems');
    t.is(server.logged('analysis found a problem').length, problems.length, value);
    return problems.map(({ code }) => code);
  };
  t.true((await codesOf('true')).includes('MESH0201'));
  t.deepEqual(await codesOf('false'), []);
});

const WARNING = 'NAV_ENABLE_STATUS writes to a cluster, and none is read';

test('without a cluster a warning says that status is written nowhere, and none speaks of analysis', async (t) => {
  const analyzing = await startServer(t, { variables: { NAV_ENABLE_ANALYSIS: 'true' } });
  t.deepEqual(
    analyzing.log.filter(({ level, msg }) => level === 'warn' && /cluster/.test(msg)),
    [],
  );
  const writing = await startServer(t, { variables: { NAV_ENABLE_STATUS: 'true', NAV_ENABLE_ANALYSIS: 'true' } });
  t.is(writing.logged(WARNING).length, 1);
});

test('a PeerAuthentication that --plugins switches off is told of', async (t) => {
  const strict = JSON.stringify({
    apiVersion: 'security.mesh.internal/v1beta1',
    kind: 'PeerAuthentication',
    metadata: { name: 'all', namespace: 'shop' },
    spec: { mtls: { mode: 'STRICT' } },
  });
  const codesWith = async (flags: readonly string[]): Promise<readonly (string | undefined)[]> => {
    const server = await startServer(t, { files: { 'strict.yaml': strict }, flags });
    return (await server.http.json<Problem[]>('/debug/config_problems')).map(({ code }) => code);
  };
  t.deepEqual(await codesWith([]), []);
  t.deepEqual(await codesWith(['--plugins', 'health,policy']), ['MESH0302']);
});
