import { connect as connectHttp2 } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import { credentials } from '@grpc/grpc-js';
import test from 'ava';
import { Registry } from 'prom-client';
import { createSecuredServer } from '../../../src/bootstrap/trust/create-secured-server.js';
import { AuthenticationError } from '../../../src/ca/authentication/authenticator.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createGrpcGuard } from '../../../src/net/guard/grpc-guard.js';
import { DEFAULT_GRPC_LIMITS } from '../../../src/net/guard/grpc-limits.js';
import type { Logging } from '../../../src/telemetry/logging.js';
import { createMetrics } from '../../../src/telemetry/metrics.js';
import { materialOf } from '../../net/tls-rig.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { eventually } from '../../support/eventually.js';
import { connectClient } from '../../xds/grpc-client.js';
import { SECRET_ENCODER } from '../../xds/secrets/secret-sources.js';
import { ADS } from '../../xds/secured-rig.js';
import { createRig } from '../../xds/session-rig.js';

const NODE = 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local';
const HEALTH = '/grpc.health.v1.Health/Watch';

test('an authenticated caller stays connected, and a caller that only watches the health of the server does not', async (t) => {
  const rig = createRig();
  const authority = createTestAuthority('mesh root');
  const never = () => () => undefined;
  const server = createSecuredServer({
    credentials: {
      open: () => ({ read: () => ({ type: 'loading' }), staleReasonOf: () => undefined, close: () => undefined }),
      stop: async () => undefined,
    },
    trust: {
      authority: undefined,
      certificate: {
        current: () => materialOf(authority).certificate,
        caBundle: () => authority.certificate,
        onChange: never,
        start: async () => undefined,
        stop: async () => undefined,
      },
      authenticate: async ({ bearerToken }) => {
        if (bearerToken !== 'good') throw new AuthenticationError('no');
        return { identities: ['spiffe://cluster.local/ns/ns/sa/web'], authenticatedBy: 'OIDC token' };
      },
      offenders: { isFlooding: () => false },
      trustDomains: { rootsOf: () => undefined, isOwn: () => true },
      foreign: { roots: () => new Map(), onChange: never },
      stop: async () => undefined,
    },
    settings: {
      host: '127.0.0.1',
      port: 0,
      keepaliveIntervalMs: 30_000,
      keepaliveTimeoutMs: 10_000,
      maxConnectionAgeMs: Number.MAX_SAFE_INTEGER,
      maxConcurrentStreams: 100,
      maxReceiveMessageBytes: 4_194_304,
    },
    guard: createGrpcGuard(DEFAULT_GRPC_LIMITS, rig.clock, () => undefined),
    isAuthenticated: true,
    seesAllPolicies: () => false,
    session: rig.environment,
    hooks: { closed: (session) => rig.distributor.remove(session) },
    encoder: SECRET_ENCODER,
    controlPlane: 'test',
    metrics: createMetrics(new Registry()),
    logging: { scope: () => rig.logger } as unknown as Logging,
    clock: rig.clock,
  });
  const port = await server.start();
  const channel = credentials.createSsl(Buffer.from(authority.certificate));
  const proxy = connectClient(port, ADS, { channel, metadata: { authorization: 'Bearer good' } });
  const tls = { host: '127.0.0.1', port, servername: 'meshd.test', ca: authority.certificate, ALPNProtocols: ['h2'] };
  const watcher = connectHttp2('https://meshd.test', { createConnection: () => connectTls(tls) });
  watcher.on('error', () => undefined);
  t.teardown(async () => {
    proxy.close();
    watcher.destroy();
    await server.stop(1000);
  });
  proxy.send({ node: NODE, typeUrl: TypeUrl.cluster });
  await proxy.response(0);
  watcher
    .request({ ':method': 'POST', ':path': HEALTH, 'content-type': 'application/grpc' })
    .on('error', () => undefined);
  await new Promise<void>((resolve) => watcher.ping(() => resolve()));

  rig.clock.advance(60_000);
  await eventually('the watcher is cut off', () => watcher.destroyed);
  proxy.send({ typeUrl: TypeUrl.endpoint, names: ['a'] });
  await proxy.response(1);
  t.is(proxy.error, undefined);
});
