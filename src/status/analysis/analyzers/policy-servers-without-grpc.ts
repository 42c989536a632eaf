import { checkServerOf, type PolicyServer, reportServerOf } from '../../../model/policy/policy-servers.js';
import type { Protocol } from '../../../model/protocol.js';
import type { AnalysisInput, Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/** Protocols of a port that proxies speak HTTP/2 to, which gRPC needs. */
const HTTP2_PROTOCOLS: ReadonlySet<Protocol> = new Set<Protocol>(['grpc', 'grpc-web', 'http2']);

/** Policy servers at a port of a service that says it speaks something else: every call to them fails. */
export const findPolicyServersWithoutGrpc: Analyzer = (input) => [
  ...messagesOf(input, 'mixerCheckServer', checkServerOf(input.mesh)),
  ...messagesOf(input, 'mixerReportServer', reportServerOf(input.mesh)),
];

function messagesOf(
  { services }: AnalysisInput,
  setting: string,
  server: PolicyServer | undefined,
): readonly AnalysisMessage[] {
  if (server?.type !== 'address') return [];
  const { host, port: number } = server;
  return services
    .filter(({ hostname }) => hostname === host)
    .flatMap(({ source, ports }) =>
      ports
        .filter((port) => port.number === number && !HTTP2_PROTOCOLS.has(port.protocol))
        .map(({ name, protocol }) =>
          createMessage(
            'policyServerWithoutGrpc',
            { object: source },
            `${setting} of the mesh config is ${host}:${number}, but that port (${name || 'unnamed'}) is of protocol ${protocol}`,
          ),
        ),
    );
}
