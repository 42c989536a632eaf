import test from 'ava';
import { usersOfCredential } from '../../../src/model/gateways/credential-references.js';
import { buildContext, buildProxy } from '../../generators/context-builder.js';
import { gatewayObject } from './gateway-object.js';

const server = (credentialName: string, mode: string) => ({
  port: { number: 443, name: credentialName, protocol: 'HTTPS' },
  hosts: [`${credentialName}.example.com`],
  tls: { mode, credentialName },
});

test('a router uses the credentials that Gateways which select it name, and a sidecar none', (t) => {
  const context = buildContext({
    gateways: [
      gatewayObject('own', [server('simple', 'SIMPLE'), server('mutual', 'MUTUAL')]),
      gatewayObject('others', [server('other', 'SIMPLE')], { selector: { app: 'other' } }),
    ],
  });
  const proxy = buildProxy({ type: 'router', configNamespace: 'edge' });
  const router = { ...proxy, metadata: { ...proxy.metadata, labels: { app: 'ingress' } } };
  const used = ['simple', 'mutual', 'other', 'mutual-cacert'].filter(
    (name) => usersOfCredential(context, router, { credentialName: name }).length > 0,
  );
  t.deepEqual(used, ['simple', 'mutual']);
  t.deepEqual(usersOfCredential(context, { ...router, type: 'sidecar' }, { credentialName: 'simple' }), []);
  t.deepEqual(usersOfCredential(context, router, { credentialName: 'mutual' }), [
    { object: 'Gateway/edge/own', field: 'spec.servers[1].tls.credentialName' },
  ]);
});
