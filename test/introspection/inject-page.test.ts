import test from 'ava';
import { call } from './fixtures/http-client.js';
import { serve } from './fixtures/serve.js';

test('/debug/inject shows the source of the template', async (t) => {
  const template = 'containers:\n  - { name: {{ "mesh-proxy" }} }\n';
  const { port } = await serve(t, { views: { injectionTemplate: () => template } });
  t.like(await call(port, '/debug/inject'), { status: 200, body: template });
});

test('/debug/inject answers 404 while the injector is off', async (t) => {
  const off = await serve(t, { views: { injectionTemplate: () => undefined } });
  t.is((await call(off.port, '/debug/inject')).status, 404);
  const absent = await serve(t);
  t.is((await call(absent.port, '/debug/inject')).status, 404);
});
