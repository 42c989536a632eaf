import test from 'ava';
import { createEndpointGenerator } from '../../../src/generators/endpoints/endpoint-generator.js';
import { peerAuthentication } from '../../model/security/peer-authentication.js';
import { buildContext, buildEndpoints, buildProxy, buildService } from '../context-builder.js';
import { at, ENCODER, toJson } from '../served-resources.js';

const NAME = 'outbound|80||web.default.svc.cluster.local';
const LABELS = { app: 'web' };
const service = buildService();
const ENDPOINTS = [
  buildEndpoints(service, [
    { address: '10.0.0.1', tlsMode: 'mesh', labels: LABELS },
    { address: '10.0.0.2', tlsMode: 'mesh', labels: { app: 'other' } },
    { address: '10.0.0.3', labels: LABELS },
  ]),
];

const generator = createEndpointGenerator(ENCODER);
const contextWith = (...specs: readonly object[]) =>
  buildContext({
    services: [service],
    endpoints: ENDPOINTS,
    peerAuthentications: specs.map((spec, index) => peerAuthentication(`default/p${index}`, spec)),
  });
const assignmentOf = (context: ReturnType<typeof buildContext>) =>
  generator.generate(context, generator.scope(context, buildProxy()), NAME);

/** The last digits of endpoints that are said to take mutual TLS. */
function takingTls(...specs: readonly object[]): readonly string[] {
  const resource = assignmentOf(contextWith(...specs));
  const endpoints = at(resource && toJson(resource), 'endpoints.0.lbEndpoints') as readonly object[];
  return endpoints.flatMap((endpoint) => {
    const json = JSON.parse(JSON.stringify(endpoint));
    const isTaking = at(json, 'metadata.filterMetadata')?.toString() !== undefined;
    return isTaking ? [String(at(json, 'endpoint.address.socketAddress.address')).replace('10.0.0.', '')] : [];
  });
}

const selector = { matchLabels: LABELS };

test('endpoints take mutual TLS where they are labelled so', (t) => {
  t.deepEqual(takingTls(), ['1', '2']);
  t.deepEqual(takingTls({ mtls: { mode: 'STRICT' } }), ['1', '2']);
});

test('not where their workload is to take plaintext alone: by namespace, selector or port', (t) => {
  t.deepEqual(takingTls({ mtls: { mode: 'DISABLE' } }), []);
  t.deepEqual(takingTls({ selector, mtls: { mode: 'DISABLE' } }), ['2']);
  t.deepEqual(takingTls({ selector, portLevelMtls: { 8080: { mode: 'DISABLE' } } }), ['2']);
  t.deepEqual(takingTls({ selector, portLevelMtls: { 80: { mode: 'DISABLE' } } }), ['1', '2']);
});

test('an assignment is made once for as long as no workload takes plaintext only', (t) => {
  const permissive = assignmentOf(contextWith());
  t.is(assignmentOf(contextWith({ mtls: { mode: 'STRICT' } })), permissive);
  const disabled = assignmentOf(contextWith({ mtls: { mode: 'DISABLE' } }));
  t.not(disabled?.version, permissive?.version);
  t.is(assignmentOf(contextWith({ mtls: { mode: 'DISABLE' } })), disabled);
  t.is(assignmentOf(contextWith()), permissive);
});
