import { isLoopbackAddress } from '../base/ip-address.js';
import type { WorkloadIdentity } from '../model/spiffe-id.js';
import type { GrpcService } from '../net/grpc-service.js';
import type { CallGate } from '../xds/call-gate.js';
import { createMessageService, type MessageCall, type MessageReader } from '../xds/message-service.js';
import type { SessionEnvironment } from '../xds/session-environment.js';
import { StreamError } from '../xds/stream-error.js';
import {
  POLICY_SERVER_SERVICE,
  readAnswer,
  readGreeting,
  SERVE_METHOD,
  writePolicyMessage,
} from './policy-server-message.js';
import { type JoinedPolicyServer, MAX_POLICY_SERVERS, type PolicyServers } from './policy-servers.js';

export interface PolicyServerServiceParts {
  readonly environment: SessionEnvironment;
  /** Undefined on the plaintext listener. */
  readonly gate: CallGate | undefined;
  /** Whether an identity is that of a policy server of the control plane. Unused on the plaintext listener. */
  readonly isPolicyServer: (identity: WorkloadIdentity) => boolean;
  readonly servers: PolicyServers;
}

/**
 * Takes the calls of policy servers that let this instance read their pages (docs/debug-pages.md#live-use-of-quotas).
 * Other callers could show false counters: on the plaintext listener only callers on this machine are taken.
 */
export function createPolicyServerService({
  environment,
  gate,
  isPolicyServer,
  servers,
}: PolicyServerServiceParts): GrpcService {
  const mayJoin = ({ call, identities }: MessageCall): boolean =>
    identities === undefined ? isLoopbackPeer(call.getPeer()) : identities.some(isPolicyServer);

  return createMessageService({
    ...{ environment, gate, service: POLICY_SERVER_SERVICE, failure: 'call of a policy server failed' },
    methods: [SERVE_METHOD],
    accept: (accepted) => {
      if (!mayJoin(accepted)) {
        throw new StreamError(
          'PERMISSION_DENIED',
          'only policy servers with an account of NAV_POLICY_READERS, or on this machine, tell the control plane their counters',
        );
      }
      return createReader(accepted, servers);
    },
  });
}

function createReader({ call }: MessageCall, servers: PolicyServers): MessageReader {
  let server: JoinedPolicyServer | undefined;
  return {
    receive: (bytes) => {
      if (server === undefined) {
        const greeting = readGreeting(bytes);
        if (greeting === undefined) throw new StreamError('INVALID_ARGUMENT', 'the first message is no greeting');
        server = servers.join(greeting, (question) => call.write(writePolicyMessage(question)));
        if (server === undefined) {
          const message = `at most ${MAX_POLICY_SERVERS} policy servers tell an instance their counters`;
          throw new StreamError('RESOURCE_EXHAUSTED', message);
        }
        return 1;
      }
      const answer = readAnswer(bytes);
      if (answer === undefined) throw new StreamError('INVALID_ARGUMENT', 'the message is no answer');
      server.answered(answer);
      return 1;
    },
    close: () => server?.left(),
  };
}

function isLoopbackPeer(peer: string): boolean {
  return isLoopbackAddress(peer.replace(/:\d+$/, '').replace(/^\[(.*)\]$/, '$1'));
}
