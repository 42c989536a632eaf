import { packGrpcConnectionManager } from '../../envoy/grpc-connection-manager.js';
import { faultFilter, routerFilter } from '../../envoy/http-filters.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Listener } from '../../generated/envoy/config/listener/v3/Listener.js';
import type { NamedGenerator, Scope } from '../generator.js';
import type { GeneratorSettings } from '../settings.js';
import { buildGrpcServerListener, type GrpcServerFacts, grpcServerFacts } from './grpc-server-listener.js';
import { parseTargetName } from './target-names.js';

export interface GrpcListenerScope extends Scope {
  /** Read for the listeners of servers. */
  readonly server: GrpcServerFacts;
}

type Settings = Pick<GeneratorSettings, 'trustDomain'>;

/**
 * Listeners of gRPC libraries, by name: `<host>:<port>` for a target that a client dials, and
 * `grpc/lds/inbound/<address>:<port>` for a server. Every target has one, also a target of no service: a client would wait
 * 15 seconds for a missing listener. The routes decide what the target is.
 *
 * @param authorizes whether AuthorizationPolicies apply to servers
 */
export function createGrpcListenerGenerator(
  encoder: MessageEncoder,
  settings: Settings,
  authorizes: boolean,
): NamedGenerator<GrpcListenerScope> {
  // Acts only where a route injects faults.
  const httpFilters = [faultFilter(encoder), routerFilter(encoder)];

  const clientListener = (name: string): Listener | undefined => {
    if (parseTargetName(name) === undefined) return undefined;
    const apiListener = packGrpcConnectionManager(encoder, { statPrefix: name, routes: { name }, httpFilters });
    return { name, apiListener: { apiListener } };
  };

  return {
    mode: 'named',
    isWhole: true,
    typeUrl: TypeUrl.listener,
    affectedBy: ({ full }) => full,
    scope: (context, proxy) => {
      const server = grpcServerFacts(encoder, settings, context, proxy, authorizes);
      return { key: `grpc|${server.key}`, server };
    },
    generate: (_context, scope, name) => {
      const ofServer = buildGrpcServerListener(encoder, name, scope.server);
      const listener = ofServer === undefined ? clientListener(name) : ofServer.listener;
      return listener && encoder.encodeResource(TypeUrl.listener, name, listener);
    },
    findings: (_context, { server }, name) => buildGrpcServerListener(encoder, name, server)?.findings ?? [],
  };
}
