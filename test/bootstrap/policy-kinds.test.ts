import test from 'ava';
import { eventually } from '../support/eventually.js';
import { startServer } from './support/running-server.js';

interface Problem {
  readonly level?: string;
  readonly code?: string;
  readonly object?: string;
  readonly reason: string;
}

const SPEC = `
apiVersion: config.mesh.internal/v1alpha2
kind: QuotaSpec
metadata: { name: requests, namespace: shop }
spec: { rules: [{ quotas: [{ quota: requests, charge: 1 }] }] }
`;
const BINDING = `
apiVersion: config.mesh.internal/v1alpha2
kind: QuotaSpecBinding
metadata: { name: requests, namespace: shop }
spec: { services: [{ service: '*' }], quotaSpecs: [{ name: requests }] }
`;

test('policies in the folder are read, shown, and told not to be enforced', async (t) => {
  const server = await startServer(t, { files: { 'quota.yaml': SPEC } });
  const problems = (): Promise<Problem[]> => server.http.json('/debug/config_problems');
  const codes = async (): Promise<string> =>
    (await problems()).map(({ level, code, object }) => `${level} ${code} ${object}`).join(', ');

  t.is(await codes(), 'Warn MESH0201 QuotaSpec/shop/requests, Warn MESH0204 QuotaSpec/shop/requests');
  t.deepEqual(
    server.logged('analysis found a problem').map(({ level, scope, code }) => `${level} ${scope} ${String(code)}`),
    ['warn analysis MESH0201', 'warn analysis MESH0204'],
  );
  t.like(await server.http.json<{ kind: string }[]>('/debug/configz'), [{ kind: 'QuotaSpec' }]);

  await server.folder.write('binding.yaml', BINDING);
  await eventually('the spec is bound', async () => !(await codes()).includes('MESH0201'));
  t.is(await codes(), 'Warn MESH0204 QuotaSpec/shop/requests, Warn MESH0204 QuotaSpecBinding/shop/requests');
  t.like(server.logged('analysis message is gone'), [{ code: 'MESH0201', object: 'QuotaSpec/shop/requests' }]);
});

test('an invalid policy is reported with its file and field, and its last valid state is kept', async (t) => {
  const server = await startServer(t, { files: { 'quota.yaml': SPEC } });
  await server.folder.write('quota.yaml', SPEC.replace('charge: 1', 'charge: -1'));
  const problems = (): Promise<Problem[]> => server.http.json('/debug/config_problems');
  await eventually('the mistake is shown', async () => (await problems()).some(({ level }) => level === undefined));
  t.like(
    (await problems()).find(({ level }) => level === undefined),
    {
      file: 'quota.yaml',
      object: 'QuotaSpec/shop/requests',
      field: 'spec.rules[0].quotas[0].charge',
      reason: 'QuotaSpec shop/requests: spec.rules[0].quotas[0].charge: -1: is out of range; use 0 to 2147483647',
    },
  );
  t.like(await server.http.json<{ kind: string }[]>('/debug/configz'), [{ kind: 'QuotaSpec' }]);
});
