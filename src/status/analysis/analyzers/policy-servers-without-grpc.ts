import { checkServerOf, type PolicyServerTarget, reportServerOf } from '../../../model/policy/policy-servers.js';
import type { Protocol } from '../../../model/service.js';
import type { AnalysisInput, Analyzer } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';

/** Protocols for which proxies use HTTP/2, which gRPC needs. */
const HTTP2_PROTOCOLS: ReadonlySet<Protocol> = new Set<Protocol>(['grpc', 'grpc-web', 'http2']);

/** Policy servers whose service port declares a protocol other than gRPC or HTTP/2: every call to them fails. */
export const findPolicyServersWithoutGrpc: Analyzer = (input) => [
  ...messagesOf(input, 'mixerCheckServer', checkServerOf(input.mesh)),
  ...messagesOf(input, 'mixerReportServer', reportServerOf(input.mesh)),
];

function messagesOf(
  { services }: AnalysisInput,
  setting: string,
  server: PolicyServerTarget | undefined,
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
            `${setting} of the mesh config is ${host}:${number}, but the protocol of that port (${name || 'unnamed'}) is ${protocol}`,
          ),
        ),
    );
}
