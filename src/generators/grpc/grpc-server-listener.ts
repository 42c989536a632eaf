import { socketAddress } from '../../envoy/addresses.js';
import { providerDownstreamTls } from '../../envoy/certificate-provider-tls.js';
import { packGrpcConnectionManager } from '../../envoy/grpc-connection-manager.js';
import { CONNECTION_MANAGER_FILTER } from '../../envoy/http-connection-manager.js';
import { routerFilter } from '../../envoy/http-filters.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import type { Listener } from '../../generated/envoy/config/listener/v3/Listener.js';
import type { RouteConfiguration } from '../../generated/envoy/config/route/v3/RouteConfiguration.js';
import type { Finding } from '../../model/finding.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { labelsOf, type MutualTlsMode, modeOfPort, mutualTlsOfProxy } from '../../model/security/mutual-tls.js';
import type { GeneratorSettings } from '../settings.js';
import { buildGrpcAuthorization, type GrpcAuthorization } from './grpc-authorization.js';
import { parseServerListenerName } from './target-names.js';

/** The facts about a gRPC server that its listeners depend on. */
export interface GrpcServerFacts {
  readonly key: string;
  /** `<name>.<namespace>` of the workload, for findings. */
  readonly workload: string;
  readonly certificates: string | undefined;
  readonly authorization: GrpcAuthorization;
  /** Whether a RequestAuthentication selects the workload. */
  readonly hasTokenRules: boolean;
  modeOf(port: number): MutualTlsMode;
}

export function grpcServerFacts(
  encoder: MessageEncoder,
  settings: Pick<GeneratorSettings, 'trustDomain'>,
  context: PushContext,
  proxy: Proxy,
  authorizes: boolean,
): GrpcServerFacts {
  const labels = labelsOf(context, proxy);
  const mutualTls = mutualTlsOfProxy(context, proxy);
  const authorization = context.authorizationPolicies.ofWorkload(proxy.configNamespace, labels);
  const hasTokenRules = context.requestAuthentications.ofWorkload(proxy.configNamespace, labels).rules.length > 0;
  const certificates = proxy.metadata.certificateProvider;
  const workload = `${proxy.name}.${proxy.configNamespace}`;
  return {
    key: [workload, certificates ?? '', mutualTls.key, authorization.key, hasTokenRules].join('|'),
    workload,
    certificates,
    authorization: authorizes
      ? buildGrpcAuthorization(encoder, context.mesh, settings, authorization)
      : { filters: [], narrowed: [] },
    hasTokenRules,
    modeOf: (port) => modeOfPort(mutualTls, port),
  };
}

export interface GrpcServerListener {
  /** Undefined if the workload demands what gRPC cannot do: the server then serves nothing. */
  readonly listener: Listener | undefined;
  readonly findings: readonly Finding[];
}

/** The listener of a gRPC server (gRFC A36, A39). Undefined for a name of another form. */
export function buildGrpcServerListener(
  encoder: MessageEncoder,
  name: string,
  facts: GrpcServerFacts,
): GrpcServerListener | undefined {
  const address = parseServerListenerName(name);
  if (address === undefined) return undefined;
  const mode = facts.modeOf(address.port);
  const findings = findingsOf(address.port, mode, facts);
  const { certificates } = facts;
  if (mode === 'STRICT' && certificates === undefined) return { listener: undefined, findings };
  const manager = packGrpcConnectionManager(encoder, {
    statPrefix: `inbound_${address.port}`,
    routes: { inline: ALL_CALLS },
    httpFilters: [...facts.authorization.filters, routerFilter(encoder)],
  });
  const listener: Listener = {
    name,
    address: socketAddress(address.address, address.port),
    trafficDirection: 'INBOUND',
    filterChains: [
      {
        name: 'inbound',
        // Only Envoy reads the name.
        filters: [{ name: CONNECTION_MANAGER_FILTER, typedConfig: manager }],
        ...(mode === 'STRICT' && certificates !== undefined
          ? { transportSocket: providerDownstreamTls(encoder, certificates) }
          : {}),
      },
    ],
  };
  return { listener, findings };
}

/** Servers hand all calls to the application. */
const ALL_CALLS: RouteConfiguration = {
  name: 'inbound',
  virtualHosts: [
    { name: 'inbound', domains: ['*'], routes: [{ name: 'default', match: { prefix: '/' }, nonForwardingAction: {} }] },
  ],
};

function findingsOf(
  port: number,
  mode: MutualTlsMode,
  { workload, certificates, authorization, hasTokenRules }: GrpcServerFacts,
): readonly Finding[] {
  const messages = [
    ...(mode === 'STRICT' && certificates === undefined
      ? [
          'its PeerAuthentication demands mutual TLS and it has no certificates, so it does not serve; give its bootstrap a certificate provider, and name that in CERTIFICATE_PROVIDER of its node',
        ]
      : []),
    ...(mode === 'PERMISSIVE' && certificates !== undefined
      ? [
          'gRPC cannot take plaintext and mutual TLS on one port, so PERMISSIVE means plaintext; set mode STRICT or DISABLE for it',
        ]
      : []),
    ...(authorization.narrowed.length > 0
      ? [
          `gRPC servers have no tokens, no server names (SNI), no metadata of filters, and no headers that begin with "grpc-" or end with "-bin" to compare (${authorization.narrowed.join(', ')}): these ALLOW rules match no call, and these DENY rules every call`,
        ]
      : []),
    ...(hasTokenRules ? ['gRPC servers do not verify tokens, so its RequestAuthentications have no effect'] : []),
  ];
  return messages.map((message) => ({
    metric: 'nav_grpc_unsupported',
    key: `server ${workload}:${port}`,
    message: `gRPC server ${workload}, port ${port}: ${message}`,
  }));
}
