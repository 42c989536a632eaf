import { ROOTS_SECRET, WORKLOAD_SECRET } from '../../../src/envoy/secret.js';
import type { ClientTls } from '../../../src/model/traffic/client-tls.js';
import type {
  ClusterPolicy,
  HashKey,
  LoadBalancer,
  LocalityPolicy,
} from '../../../src/model/traffic/cluster-policy.js';
import fc from '../../support/property-testing.js';

/** Files with a real certificate, key and root: Envoy reads them when it validates a cluster. */
export interface CertificateFiles {
  readonly certificatePath: string;
  readonly privateKeyPath: string;
  readonly rootsPath: string;
}

const token = fc.stringMatching(/^[a-z][a-z0-9-]{0,10}$/);
const limit = fc.integer({ min: 1, max: 0xffff_ffff });
const millis = fc.integer({ min: 1, max: 100_000 });
const percent = fc.integer({ min: 0, max: 100 });
const optional = { requiredKeys: [] };

export const arbitraryHashKey: fc.Arbitrary<HashKey> = fc.oneof(
  fc.record({ type: fc.constantFrom('header' as const, 'queryParameter' as const), name: token }),
  fc.record(
    { type: fc.constant('cookie' as const), name: token, path: token, lifetimeMs: fc.integer({ min: 0, max: 10_000 }) },
    { requiredKeys: ['type', 'name', 'lifetimeMs'] },
  ),
  fc.constant({ type: 'sourceAddress' as const }),
);

const loadBalancer: fc.Arbitrary<LoadBalancer> = fc.oneof(
  fc.record({ type: fc.constantFrom('leastRequest', 'roundRobin', 'random', 'originalDestination') }),
  fc.record({
    type: fc.constant('consistentHash' as const),
    key: arbitraryHashKey,
    minimumRingSize: fc.integer({ min: 1, max: 2048 }),
  }),
);

const connections: fc.Arbitrary<ClusterPolicy['connections']> = fc.record(
  {
    connectTimeoutMs: millis,
    maxConnections: limit,
    keepalive: fc.record({ probes: fc.integer({ min: 1, max: 9 }), idleMs: millis, intervalMs: millis }, optional),
    maxPendingRequests: limit,
    maxRequests: limit,
    maxRequestsPerConnection: limit,
    maxRetries: limit,
    idleTimeoutMs: millis,
    upgradesToHttp2: fc.boolean(),
  },
  { requiredKeys: ['connectTimeoutMs', 'upgradesToHttp2'] },
);

const outliers: fc.Arbitrary<NonNullable<ClusterPolicy['outliers']>> = fc.record(
  {
    consecutive5xxErrors: fc.integer({ min: 0, max: 100 }),
    consecutiveGatewayErrors: fc.integer({ min: 0, max: 100 }),
    intervalMs: millis,
    baseEjectionMs: millis,
    maxEjectionPercent: percent,
    minHealthyPercent: percent,
  },
  optional,
);

const region = fc.constantFrom('north', 'south');
const pattern = fc.constantFrom('*', 'north/*', 'north/a', 'north/a/1', 'south', 'south/b/*');
const localities: fc.Arbitrary<LocalityPolicy> = fc.oneof(
  fc.record({
    type: fc.constant('distribute' as const),
    rules: fc.array(fc.record({ from: pattern, to: fc.dictionary(pattern, percent) }), { maxLength: 3 }),
  }),
  fc.record({
    type: fc.constant('failover' as const),
    rules: fc.array(fc.record({ from: region, to: region }), { maxLength: 2 }),
  }),
);

function arbitraryTls({ certificatePath, privateKeyPath, rootsPath }: CertificateFiles): fc.Arbitrary<ClientTls> {
  // Envoy validates only secrets that its bootstrap has.
  const secret = (name: string) => fc.constant({ type: 'secret' as const, name });
  const subjectAltNames = fc.array(fc.oneof(token, fc.constant('spiffe://cluster.local/ns/a/sa/b')), { maxLength: 2 });
  const roots = fc.oneof(secret(ROOTS_SECRET), fc.constant({ type: 'file' as const, path: rootsPath }));
  return fc.oneof(
    fc.constant({ mode: 'plaintext' as const }),
    fc.record({ mode: fc.constant('automatic' as const), subjectAltNames }),
    fc.record(
      { mode: fc.constant('mesh' as const), subjectAltNames, serverName: token },
      { requiredKeys: ['mode', 'subjectAltNames'] },
    ),
    fc.record(
      {
        mode: fc.constant('own' as const),
        certificate: fc.oneof(
          secret(WORKLOAD_SECRET),
          fc.constant({ type: 'files' as const, certificatePath, privateKeyPath }),
        ),
        verification: fc.record({ roots, subjectAltNames }),
        serverName: token,
      },
      { requiredKeys: ['mode'] },
    ),
  );
}

/** Any policy of a cluster that the traffic model can express, of valid names and numbers. */
export function arbitraryPolicy(files: CertificateFiles): fc.Arbitrary<ClusterPolicy> {
  return fc.record(
    { loadBalancer, connections, outliers, tls: arbitraryTls(files), localities },
    { requiredKeys: ['loadBalancer', 'connections', 'tls'] },
  );
}
