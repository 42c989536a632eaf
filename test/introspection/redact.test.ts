import test from 'ava';
import { JsonRecord, jsonPieces } from '../../src/introspection/json-source.js';
import { call } from './fixtures/http-client.js';
import { context, meshObject } from './fixtures/mesh.js';
import { serve } from './fixtures/serve.js';

function redacted(value: object): unknown {
  return JSON.parse([...jsonPieces(value)].join(''));
}

test('secret fields are hidden in camel case and snake case, and the paths of secret files stay', (t) => {
  t.deepEqual(
    redacted({
      tlsCertificate: {
        certificateChain: { inlineString: 'PUBLIC' },
        privateKey: { inlineBytes: 'a2V5' },
        password: { filename: '/etc/certs/password' },
      },
      private_key: 'PEM',
      sessionTicketKeys: { keys: [{ inlineBytes: 'dGlja2V0' }] },
      token: 12,
      secretName: 'web-tls',
    }),
    {
      tlsCertificate: {
        certificateChain: { inlineString: 'PUBLIC' },
        privateKey: { inlineBytes: '[redacted]' },
        password: { filename: '/etc/certs/password' },
      },
      private_key: '[redacted]',
      sessionTicketKeys: { keys: [{ inlineBytes: '[redacted]' }] },
      token: '[redacted]',
      secretName: 'web-tls',
    },
  );
});

test('credentials in headers are hidden, other headers stay', (t) => {
  t.deepEqual(
    redacted([
      { header: { key: 'Authorization', value: 'Bearer x' } },
      { header: { key: 'x-api-key', rawValue: 'eA==' } },
      { header: { key: 'x-version', value: '1' } },
    ]),
    [
      { header: { key: 'Authorization', value: '[redacted]' } },
      { header: { key: 'x-api-key', rawValue: '[redacted]' } },
      { header: { key: 'x-version', value: '1' } },
    ],
  );
});

test('credentials of handlers are hidden: in URLs, and in all headers that are sent to an endpoint', (t) => {
  const params = (redisServerUrl: string) => ({ compiledAdapter: 'redisquota', params: { redisServerUrl } });
  for (const credentials of ['user:password', ':pass@word', 'user', ':a b"c\\d']) {
    t.deepEqual(
      redacted(params(`rediss://${credentials}@redis.shop:6379/1`)),
      params('rediss://[redacted]@redis.shop:6379/1'),
    );
  }
  for (const other of ['redis.shop:6379', 'redis://redis.shop:6379', 'http://shop/a@b', 'owner@shop']) {
    t.deepEqual(redacted(params(other)), params(other));
  }
  t.deepEqual(redacted({ params: { endpoint: 'http://user:password@collector', headers: { 'x-team': 'key' } } }), {
    params: { endpoint: 'http://[redacted]@collector', headers: { 'x-team': '[redacted]' } },
  });
  t.deepEqual(redacted({ details: [{ headers: { location: '/login', 'Set-Cookie': 'a=b' } }] }), {
    details: [{ headers: { location: '/login', 'Set-Cookie': '[redacted]' } }],
  });
});

test('empty secrets are shown as empty', (t) => {
  t.deepEqual(redacted({ password: '', token: null }), { password: '', token: null });
});

test('names of records never count as secret fields', (t) => {
  const record = new JsonRecord([['token', { service: 'a' }]]);
  t.deepEqual(redacted(record), { token: { service: 'a' } });
});

test('configz shows a Secret without its data and without the last applied configuration', async (t) => {
  const secret = meshObject('Secret', 'tls', {
    apiVersion: 'v1',
    metadata: {
      name: 'tls',
      namespace: 'default',
      labels: {},
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{"data":{"tls.key":"S0VZ"}}', owner: 'a' },
      resourceVersion: '1',
    },
    body: { type: 'kubernetes.io/tls', data: { 'tls.key': 'S0VZ' }, stringData: { more: 'S0VZ' } },
  });
  const { port } = await serve(t, { views: { context: () => context({ objects: [secret] }) } });
  const { body } = await call(port, '/debug/configz');
  t.false(body.includes('S0VZ'));
  const [shown] = JSON.parse(body);
  t.like(shown, { type: 'kubernetes.io/tls', data: { 'tls.key': '[redacted]' } });
  t.is(shown.metadata.annotations.owner, 'a');
});
