import test from 'ava';
import { eventually } from '../support/eventually.js';
import { connectProxy } from './support/connect-proxy.js';
import { sidecar } from './support/manifests.js';
import { startServer } from './support/running-server.js';

interface Problem {
  readonly code?: string;
  readonly object?: string;
  readonly reason: string;
}

/** An entry without an address, whose TCP port takes every connection to that port. */
const entry = (name: string, created: string) =>
  JSON.stringify({
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'ServiceEntry',
    metadata: { name, namespace: 'shop', creationTimestamp: created },
    spec: {
      hosts: [`${name}.example.com`],
      ports: [{ number: 9000, name: 'tcp', protocol: 'TCP' }],
      resolution: 'DNS',
    },
  });

const policy = (kind: string, spec: object) =>
  JSON.stringify({
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind,
    metadata: { name: 'limits', namespace: 'shop' },
    spec,
  });

test('a service whose listener an older one has is told so, until the conflict is mended', async (t) => {
  const files = {
    'old.yaml': entry('old', '2026-01-01T00:00:00Z'),
    'young.yaml': entry('young', '2026-02-01T00:00:00Z'),
    'spec.yaml': policy('QuotaSpec', { rules: [{ quotas: [{ quota: 'requests' }] }] }),
    'binding.yaml': policy('QuotaSpecBinding', {
      services: [{ service: 'young.example.com' }],
      quotaSpecs: [{ name: 'limits' }],
    }),
  };
  const server = await startServer(t, { files });
  const problems = async (code: string): Promise<readonly Problem[]> =>
    (await server.http.json<Problem[]>('/debug/config_problems')).filter((problem) => problem.code === code);
  const conflicts = () => problems('MESH0401');
  await connectProxy(t, server, sidecar());
  await connectProxy(t, server, sidecar('10.0.0.9'));

  const found = await conflicts();
  t.is(found.length, 1, 'one conflict is one message, however many proxies meet it');
  t.is(found[0]?.object, 'ServiceEntry/shop/young');
  t.regex(found[0]?.reason ?? '', /AcceptedTCP=old\.example\.com RejectedTCP=young\.example\.com .*; give the service/);
  const policies = (await problems('MESH0219')).map(({ object }) => object).sort();
  t.deepEqual(policies, ['QuotaSpec/shop/limits', 'QuotaSpecBinding/shop/limits'], 'the policies of the younger one');

  await server.folder.write('young.yaml', entry('young', '2026-02-01T00:00:00Z').replace('9000', '9001'));
  await eventually('the conflict is gone', async () => (await conflicts()).length === 0);
  t.deepEqual(await problems('MESH0219'), []);
});
