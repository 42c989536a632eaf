import { parseSpiffeId, type WorkloadIdentity } from '../model/identity/spiffe-id.js';
import { type CallCredentials, callCredentialsOf, type ServedCall } from '../net/call-credentials.js';
import type { Clock } from '../telemetry/clock.js';
import type { Logger } from '../telemetry/logger.js';
import { createSubjectLog } from '../telemetry/subject-log.js';
import { StreamError } from './stream-error.js';

/** What every call to a secured listener passes before anything of it is read (DESIGN 8). */
export interface CallGate {
  /**
   * Who the caller is: one identity, or several.
   *
   * @throws StreamError UNAUTHENTICATED
   */
  admit(call: ServedCall): Promise<readonly WorkloadIdentity[]>;
  /** A caller that is somebody, yet not whom its node claims. */
  denied(call: ServedCall, error: StreamError): void;
}

export interface CallGateOptions {
  /** @returns SPIFFE ids. Throws when nothing that the caller has shown proves who it is. */
  authenticate(credentials: CallCredentials): Promise<{ readonly identities: readonly string[] }>;
  /** `nav_xds_refused_streams`. */
  refused(reason: 'authentication' | 'authorization'): void;
  readonly clock: Clock;
  readonly logger: Logger;
}

const MAX_REASON_LENGTH = 1024;

/** Lets in whoever is authenticated (BEHAVIOUR 5, "Auth."). */
export function createCallGate({ authenticate, refused, clock, logger }: CallGateOptions): CallGate {
  const log = createSubjectLog(logger, clock);
  const refuse = (reason: 'authentication' | 'authorization', peer: string, error: unknown, message: string): void => {
    refused(reason);
    // A peer that comes again has another port.
    log.warn(peer.replace(/:\d+$/, ''), { peer, err: error }, message);
  };
  return {
    admit: async (call) => {
      try {
        const { identities } = await authenticate(callCredentialsOf(call));
        const parsed = identities.flatMap((identity) => parseSpiffeId(identity) ?? []);
        if (parsed.length === 0) throw new Error('the caller has no SPIFFE id of a workload');
        return parsed;
      } catch (cause) {
        refuse('authentication', call.getPeer(), cause, 'Caller of the secured listener is not authenticated');
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new StreamError('UNAUTHENTICATED', `authentication failure: ${reason.slice(0, MAX_REASON_LENGTH)}`, {
          cause,
        });
      }
    },
    denied: (call, error) => {
      refuse('authorization', call.getPeer(), error, 'Proxy claims to be another workload than it is');
    },
  };
}
