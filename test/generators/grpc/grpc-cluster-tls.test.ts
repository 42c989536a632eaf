import test from 'ava';
import { type GrpcTlsInput, type GrpcTlsMode, grpcTlsMode } from '../../../src/generators/grpc/grpc-cluster-tls.js';
import { createNamespaceMutualTls } from '../../../src/model/security/namespace-mutual-tls.js';

const AUTOMATIC = { policy: { tls: { mode: 'automatic', subjectAltNames: [] } } } as unknown as GrpcTlsInput['cluster'];
const endpoint = (app: string, tlsMode: 'mesh' | 'disabled') =>
  ({ tlsMode, labels: { app }, port: 8080 }) as unknown as GrpcTlsInput['endpoints'][number];
const [STRICT, PERMISSIVE, BARE] = [
  endpoint('strict', 'mesh'),
  endpoint('other', 'mesh'),
  endpoint('strict', 'disabled'),
];
const NAMESPACE = createNamespaceMutualTls('PERMISSIVE', [
  { selector: { matchLabels: { app: 'strict' } }, mtls: { mode: 'STRICT' } },
]);

const EXPECTED: readonly (readonly [GrpcTlsInput['endpoints'], certificates: GrpcTlsMode, none: GrpcTlsMode])[] = [
  [[], 'plaintext', 'plaintext'],
  [[PERMISSIVE], 'mesh', 'plaintext'],
  [[PERMISSIVE, BARE], 'plaintext', 'plaintext'],
  [[STRICT], 'mesh', 'unsupported'],
  [[STRICT, PERMISSIVE], 'mesh', 'unsupported'],
  // A pod without mutual TLS does not bring the calls to the others into plaintext.
  [[STRICT, BARE], 'mesh', 'unsupported'],
];

test('no gRPC client sends plaintext to an endpoint that takes mutual TLS alone', (t) => {
  for (const [endpoints, certificates, none] of EXPECTED) {
    const mode = (hasCertificates: boolean) =>
      grpcTlsMode({ cluster: AUTOMATIC, endpoints, namespace: NAMESPACE, hasCertificates, isAutomatic: true });
    t.deepEqual([mode(true), mode(false)], [certificates, none], JSON.stringify(endpoints));
  }
});

test('without automatic mutual TLS, DestinationRules alone decide about gRPC clients', (t) => {
  const input = { cluster: AUTOMATIC, endpoints: [STRICT], namespace: NAMESPACE, isAutomatic: false };
  t.is(grpcTlsMode({ ...input, hasCertificates: true }), 'plaintext');
});
