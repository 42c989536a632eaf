import { readFileSync } from 'node:fs';
import { errorText } from '../../base/error-text.js';
import { createGrpcPolicyTransport, type GrpcPolicyTransport } from '../../policy/remote/grpc-policy-transport.js';
import type { RemoteConfig } from '../../policy/server/open-handlers/configured-handler.js';
import type { PolicyCodec } from '../../policy/wire/policy-codec.js';
import type { OutgoingCalls } from '../../telemetry/outgoing-calls.js';

export interface BackendConnectorOptions {
  readonly codec: PolicyCodec;
  /** Backends may show certificates for other names. */
  readonly bypassesNames: boolean;
  readonly outgoing: OutgoingCalls;
}

/** Connects to the policy servers of the configuration's `backend`; their calls are recorded as outgoing ones. */
export function createBackendConnector({ codec, bypassesNames, outgoing }: BackendConnectorOptions) {
  return (remote: RemoteConfig): GrpcPolicyTransport => {
    const transport = createGrpcPolicyTransport(remote.address, { codec, ...tlsOf(remote, bypassesNames) });
    return {
      ...transport,
      check: (request, call) => outgoing.run('policy', request, () => transport.check(request, call)),
      report: (request, call) => outgoing.run('policy', request, () => transport.report(request, call)),
    };
  };
}

function tlsOf({ tls }: RemoteConfig, takesAnyName: boolean) {
  if (tls === undefined) return {};
  if (tls.caFile === undefined) return { tls: { takesAnyName } };
  try {
    return { tls: { rootCertificates: readFileSync(tls.caFile), takesAnyName } };
  } catch (cause) {
    const reason = errorText(cause);
    throw new Error(`backend.tls.caFile: ${JSON.stringify(tls.caFile)}: cannot be read: ${reason}`, { cause });
  }
}
