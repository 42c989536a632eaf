import test from 'ava';
import { startApiServer } from './api-server.js';
import { requireKubernetes } from './find-testcluster.js';

const { available: binary } = requireKubernetes();
const it = binary === undefined ? test.skip : test;

const service = (name: string) => ({
  apiVersion: 'v1',
  kind: 'Service',
  metadata: { name, namespace: 'default' },
  spec: { ports: [{ port: 80 }] },
});

it('an API server keeps objects over a restart and loses them at a reset', async (t) => {
  const started = performance.now();
  const api = await startApiServer({ binary: String(binary) });
  t.teardown(() => api.close());
  t.log(`ready after ${Math.round(performance.now() - started)} ms`);
  await api.client.apply(service('web'));
  await api.compact();
  await api.stopApi();
  await t.throwsAsync(api.client.send('GET', '/readyz'), { code: 'ECONNREFUSED' });
  await api.startApi();
  t.like(await api.client.get(service('web')), { metadata: { name: 'web' } });
  await api.reset();
  const { status } = await api.client.send('GET', '/api/v1/namespaces/default/services/web');
  t.is(status, 404);
});
