import type { Clock } from '../../base/clock.js';
import { AuthenticationError, isTemporaryFailure } from '../../ca/authentication/authenticator.js';
import type { AuthenticateCaller } from '../../ca/authentication/caller-authentication.js';
import { addressOf } from '../../ca/authentication/offenders.js';
import { createTlsMaterialSource } from '../../ca/server-certificate/tls-material-source.js';
import { createCertificateService } from '../../ca/service/certificate-service.js';
import { createWorkloadSecrets } from '../../ca/workload-secrets/workload-secrets.js';
import { readCertificateRequest } from '../../ca/x509/certificate-request.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { CredentialProblem, CredentialStore } from '../../model/gateways/credential.js';
import type { WorkloadIdentity } from '../../model/spiffe-id.js';
import type { GrpcListenerSettings } from '../../net/grpc-listener.js';
import type { GrpcService } from '../../net/grpc-service.js';
import type { GrpcGuard } from '../../net/guard/grpc-guard.js';
import { createTlsListener } from '../../net/tls-listener.js';
import { createUnprovenConnections } from '../../net/unproven-connections.js';
import { createLimitedLog } from '../../telemetry/limited-log.js';
import type { Logging } from '../../telemetry/logging.js';
import type { Metrics } from '../../telemetry/metrics.js';
import { type CallGate, createCallGate } from '../../xds/call-gate.js';
import type { SessionHooks } from '../../xds/discovery-calls.js';
import { createGrpcServer, type GrpcServer } from '../../xds/grpc-server.js';
import { createSecretService, type SecretService } from '../../xds/secrets/secret-service.js';
import type { SessionEnvironment } from '../../xds/session-environment.js';
import type { Trust } from './open-trust.js';
import { createSecretSource } from './secret-source.js';

export interface SecuredServerParts {
  readonly trust: Trust;
  readonly settings: GrpcListenerSettings;
  /** Limits of the peers of all gRPC listeners. */
  readonly guard: GrpcGuard;
  /** XDS_AUTH. When false, the connection is encrypted but callers are not authenticated, so they get no secrets. */
  readonly isAuthenticated: boolean;
  /** Whether an identity may read the policies of all namespaces; policy servers must. */
  readonly seesAllPolicies: (identity: WorkloadIdentity) => boolean;
  /** Services for authenticated callers of this listener. */
  readonly createServices?: (gate: CallGate) => readonly GrpcService[];
  /** The certificates of Gateways. */
  readonly credentials: CredentialStore;
  /** Shared by the sessions of both listeners. */
  readonly session: SessionEnvironment;
  readonly hooks: SessionHooks;
  readonly encoder: MessageEncoder;
  /** ControlPlane.identifier */
  readonly controlPlane: string;
  readonly metrics: Metrics;
  readonly logging: Logging;
  readonly clock: Clock;
}

export interface SecuredServer extends GrpcServer {
  /** The credentials that connected routers need, and that are missing, malformed or expired; by router. */
  credentialProblems(): readonly CredentialProblem[];
}

/** The secured gRPC listener, :15012: xDS and secrets for authenticated callers, and CreateCertificate. */
export function createSecuredServer(parts: SecuredServerParts): SecuredServer {
  const { trust, session, seesAllPolicies, metrics, logging, clock } = parts;
  const { authority, trustDomains, accounts, offenders } = trust;
  const connections = createUnprovenConnections(clock);
  const authenticate: AuthenticateCaller = async (credentials) => {
    try {
      const caller = await trust.authenticate(credentials);
      connections.proven(credentials.peer);
      return caller;
    } catch (error) {
      if (offenders.isFlooding(addressOf(credentials.peer))) connections.cutOff(credentials.peer);
      throw error;
    }
  };
  const logger = logging.scope('ads');
  const limitedLog = createLimitedLog(logger, clock);
  const material = createTlsMaterialSource(trust.certificate, clientRootsOf(trust));
  const gate = createCallGate({
    authenticate,
    isTemporary: isTemporaryFailure,
    isOverload: (error) => error instanceof AuthenticationError && error.isOverload,
    ...(accounts === undefined ? {} : { onRevoked: accounts.onGone }),
    refused: (reason) => metrics.increment('nav_xds_refused_streams', { reason }),
    clock,
    random: Math.random,
    logger,
  });
  const secrets = parts.isAuthenticated ? createSecrets(parts) : undefined;
  const certificates =
    authority &&
    createCertificateService({
      authority,
      authenticate,
      readRequest: readCertificateRequest,
      isOwnTrustDomain: trustDomains.isOwn,
      metrics,
      clock,
      logger: logging.scope('serverca'),
    });
  const server = createGrpcServer(
    parts.settings,
    { ...session, seesAllPolicies, ...(secrets === undefined ? {} : { secrets: secrets.service }) },
    parts.hooks,
    logger,
    {
      guard: parts.guard,
      createListener: (take, queue) =>
        createTlsListener(
          {
            material,
            queue,
            clientCertificates: 'optional',
            alpn: ['h2'],
            clock,
            refusalOf: (peer) =>
              offenders.isFlooding(addressOf(peer))
                ? 'too many callers at this address failed to prove who they are (NAV_FAILED_CALLERS_BURST, NAV_FAILED_CALLERS_RATE)'
                : undefined,
            onRefused: (refusal) => {
              metrics.increment('nav_tls_refused_connections');
              limitedLog.warn({ ...refusal }, 'connection to the secured listener rejected');
            },
            onUnusableMaterial: (err) =>
              logger.error({ err }, 'certificate of the secured listener cannot be used, the former one stays'),
          },
          (socket) => {
            // Without authentication, a connection has no time limit for its credentials.
            if (parts.isAuthenticated) connections.opened(socket);
            take(socket);
          },
        ),
      ...(parts.isAuthenticated ? { gate } : {}),
      services: [
        ...(certificates === undefined ? [] : [certificates]),
        ...((parts.isAuthenticated && parts.createServices?.(gate)) || []),
      ],
    },
  );
  return {
    ...server,
    credentialProblems: () => secrets?.service.credentialProblems() ?? [],
    stop: async (graceMs) => {
      await server.stop(graceMs);
      secrets?.stop();
    },
  };
}

function createSecrets({
  trust,
  credentials,
  session,
  encoder,
  controlPlane,
  metrics,
  logging,
  clock,
}: SecuredServerParts): { readonly service: SecretService; stop(): void } | undefined {
  const { authority, accounts } = trust;
  if (authority === undefined) return undefined;
  const workloads = createWorkloadSecrets({
    authority,
    clock,
    logger: logging.scope('pkica'),
    random: Math.random,
    ...(accounts === undefined ? {} : { checkIdentity: accounts.mustNotBeGone }),
  });
  const source = createSecretSource(workloads, authority, trust.trustDomains);
  const { logger } = session;
  return {
    service: createSecretService(source, {
      encoder,
      clock,
      logger,
      controlPlane,
      credentials,
      onCredentialRefused: () => metrics.increment('nav_gateway_credentials_refused'),
    }),
    stop: () => workloads.stop(),
  };
}

/** Root certificates of clients: of our own authority, else of our certificate; and of other trust domains. */
function clientRootsOf({ authority, certificate, foreign }: Trust) {
  return {
    current: () => [
      ...(authority?.bundle().roots ?? [certificate.caBundle() ?? '']),
      ...[...foreign.roots().values()].flat().map(String),
    ],
    onChange: (listener: () => void) => {
      const ends = [authority?.onChange(listener), certificate.onChange(listener), foreign.onChange(listener)];
      return () => {
        for (const end of ends) end?.();
      };
    },
  };
}
