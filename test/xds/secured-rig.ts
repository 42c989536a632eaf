import { X509Certificate } from 'node:crypto';
import { type ChannelCredentials, credentials } from '@grpc/grpc-js';
import type { ExecutionContext } from 'ava';
import { systemClock } from '../../src/base/clock.js';
import { isTemporaryFailure } from '../../src/ca/authentication/authenticator.js';
import {
  type AuthenticateCaller,
  createCallerAuthentication,
} from '../../src/ca/authentication/caller-authentication.js';
import { createClientCertificateAuthenticator } from '../../src/ca/authentication/client-certificate.js';
import { createTrustDomains } from '../../src/ca/authentication/spiffe/trust-domains.js';
import { createTokenReviewAuthenticator } from '../../src/ca/authentication/token-review.js';
import { createTokenVerdicts } from '../../src/ca/authentication/token-verdicts.js';
import type { SendRequest } from '../../src/kubernetes/client/api-sender.js';
import { parseNode } from '../../src/model/parse-node.js';
import type { GrpcService } from '../../src/net/grpc-service.js';
import { createTlsListener, type RefusedConnection } from '../../src/net/tls-listener.js';
import type { TurnOwner } from '../../src/push/waiting-targets.js';
import { createCallGate } from '../../src/xds/call-gate.js';
import { createGrpcServer, type GrpcServer } from '../../src/xds/grpc-server.js';
import { createSecretService } from '../../src/xds/secrets/secret-service.js';
import type { SessionEnvironment } from '../../src/xds/session-environment.js';
import { materialOf } from '../net/tls-rig.js';
import { createTestAuthority, type TestAuthority, type TestCertificateRequest } from '../support/certificate-issuer.js';
import { loopbackListener } from '../support/grpc-listener.js';
import { type ClientOptions, connectClient, type DiscoveryClient } from './grpc-client.js';
import { authoritySecrets, SECRET_ENCODER } from './secrets/secret-sources.js';
import { createRig, type Rig, type RigOptions } from './session-rig.js';

export const ADS = '/envoy.service.discovery.v3.AggregatedDiscoveryService/StreamAggregatedResources';

/** A secured discovery server over real TLS, with a cluster whose API server is a function. */
export interface SecuredRig extends Rig {
  readonly authority: TestAuthority;
  readonly server: GrpcServer;
  readonly port: number;
  readonly refusedConnections: RefusedConnection[];
  readonly refusedStreams: string[];
  /** @param node `<id>#<NAMESPACE>#<SERVICE_ACCOUNT>`, of which the last two may be left out */
  connect(options: ClientOptions, path?: string): DiscoveryClient;
  /** TLS alone, or with a certificate. */
  channel(request?: TestCertificateRequest, issuer?: TestAuthority): ChannelCredentials;
}

export interface SecuredRigOptions {
  readonly review?: SendRequest;
  readonly maxConnectionIdleMs?: number;
  /** Of the trust domain `partner.example`. */
  readonly partner?: TestAuthority;
  /** Is told whose turn each piece of work in turn uses. */
  readonly onTurn?: (owner: TurnOwner) => void;
  readonly services?: (authenticate: AuthenticateCaller) => readonly GrpcService[];
  readonly rig?: RigOptions;
  /** Replaces parts of the environment of sessions. */
  readonly environment?: (rig: Rig) => Partial<SessionEnvironment>;
}

const settings = loopbackListener();

const refuseAll: SendRequest = async () => ({
  status: 201,
  body: { status: { authenticated: false, error: 'unknown token' } },
  retryAfterMs: undefined,
});

export async function createSecuredRig(t: ExecutionContext, options: SecuredRigOptions = {}): Promise<SecuredRig> {
  const { partner } = options;
  const rig = createRig(options.rig);
  const authority = createTestAuthority('mesh root');
  const refusedConnections: RefusedConnection[] = [];
  const refusedStreams: string[] = [];
  const trustDomains = createTrustDomains({
    own: () => ['cluster.local'],
    ownRoots: () => [authority.certificate],
    foreign: () =>
      new Map(partner === undefined ? [] : [['partner.example', [new X509Certificate(partner.certificate)]]]),
    skipValidation: false,
  });
  const authenticate = createCallerAuthentication([
    createClientCertificateAuthenticator(trustDomains, systemClock),
    createTokenReviewAuthenticator({
      reviewerOf: () => ({ cluster: 'local', send: options.review ?? refuseAll }),
      jwtPolicy: 'third-party-jwt',
      trustDomain: () => 'cluster.local',
      verdicts: createTokenVerdicts(rig.clock),
      clock: systemClock,
    }),
  ]);
  const material = materialOf(authority, [authority, ...(partner === undefined ? [] : [partner])].map(rootOf));
  const { maxConnectionIdleMs } = options;
  const server = createGrpcServer(
    maxConnectionIdleMs === undefined ? settings : { ...settings, maxConnectionIdleMs },
    {
      ...rig.environment,
      runner: {
        ...rig.environment.runner,
        runInTurn: (owner, work) => {
          options.onTurn?.(owner);
          return rig.environment.runner.runInTurn(owner, work);
        },
      },
      secrets: createSecretService(authoritySecrets(authority), {
        ...rig.environment,
        encoder: SECRET_ENCODER,
        controlPlane: 'test',
      }),
      readProxy: (node) => readProxy(Buffer.from(node).toString()),
      connections: {
        ids: () => [...rig.sessions].map(({ id }) => id),
        find: (id) => [...rig.sessions].find((session) => session.id === id),
      },
      loads: { intervalMs: 10_000, open: () => ({ *record() {}, close: () => undefined }) },
      ...options.environment?.(rig),
    },
    { closed: (session) => rig.distributor.remove(session) },
    rig.logger,
    {
      createListener: (take) =>
        createTlsListener(
          {
            material: { current: () => material, onChange: () => () => undefined },
            clientCertificates: 'optional',
            alpn: ['h2'],
            clock: systemClock,
            onRefused: (refusal) => refusedConnections.push(refusal),
            onUnusableMaterial: (error) => t.fail(String(error)),
          },
          take,
        ),
      gate: createCallGate({
        authenticate,
        isTemporary: isTemporaryFailure,
        refused: (reason) => refusedStreams.push(reason),
        clock: rig.clock,
        random: () => 1,
        logger: rig.logger,
      }),
      services: options.services?.(authenticate) ?? [],
    },
  );
  const port = await server.start();
  const clients: DiscoveryClient[] = [];
  t.teardown(async () => {
    for (const client of clients) client.close();
    await server.stop(1000);
  });
  return {
    ...rig,
    authority,
    server,
    port,
    refusedConnections,
    refusedStreams,
    connect: (clientOptions, path = ADS) => {
      const client = connectClient(port, path, clientOptions);
      clients.push(client);
      return client;
    },
    channel: (request, issuer = authority) => {
      const root = Buffer.from(authority.certificate);
      if (request === undefined) return credentials.createSsl(root);
      const { certificate, key } = issuer.issue(request);
      return credentials.createSsl(root, Buffer.from(key), Buffer.from(certificate));
    },
  };
}

const rootOf = ({ certificate }: TestAuthority): string => certificate;

/** @param bytes a Node with nothing but an id: a tag, a length below 128, a text */
function readProxy(bytes: string): ReturnType<typeof parseNode> {
  const [id = '', namespace, serviceAccount] = bytes.slice(2).split('#');
  return parseNode({
    id,
    metadata: {
      ...(namespace ? { NAMESPACE: namespace } : {}),
      ...(serviceAccount ? { SERVICE_ACCOUNT: serviceAccount } : {}),
    },
    locality: { region: '', zone: '', subZone: '' },
    userAgentVersion: '',
  });
}
