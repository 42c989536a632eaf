import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Clock } from '../base/clock.js';
import { formatSpiffeId, parseSpiffeId, type WorkloadIdentity } from '../model/spiffe-id.js';
import { type CallCredentials, callCredentialsOf, type ServedCall } from '../net/call-credentials.js';
import { createConnectionCertificates } from '../net/connection-certificates.js';
import type { Logger } from '../telemetry/logger.js';
import { createSubjectLog } from '../telemetry/subject-log.js';
import { StreamError } from './stream-error.js';

/**
 * What every call to a secured listener passes before anything of it is read
 * (docs/security.md#what-navigator-guarantees).
 */
export interface CallGate {
  /**
   * Who the caller is: one identity, or several.
   *
   * @throws StreamError UNAUTHENTICATED
   */
  admit(call: ServedCall): Promise<readonly WorkloadIdentity[]>;
  /**
   * Looks from time to time whether a caller still is whom it was admitted as: tokens and certificates run out, accounts
   * are deleted, and streams go on. While nobody can say, it is.
   *
   * @param admitted what `admit` gave
   * @param onRevoked called once, when it is not
   * @returns ends it
   */
  watch(call: ServedCall, admitted: readonly WorkloadIdentity[], onRevoked: (error: StreamError) => void): () => void;
  /** A caller that is somebody, yet not whom its node claims. */
  denied(call: ServedCall, error: StreamError): void;
}

export interface CallGateOptions {
  /** @returns SPIFFE ids. Throws when nothing that the caller has shown proves who it is. */
  authenticate(credentials: CallCredentials): Promise<{ readonly identities: readonly string[] }>;
  /** Whether what `authenticate` threw says nothing about the caller. */
  isTemporary(error: unknown): boolean;
  /** Whether what `authenticate` threw says that too many callers wait. Default: it never does. */
  isOverload?(error: unknown): boolean;
  /** Calls back once, when an identity is revoked at its source. @returns ends it. Default: that is never known. */
  onRevoked?(identity: WorkloadIdentity, listener: (reason: Error) => void): () => void;
  /** `nav_xds_refused_streams`. */
  refused(reason: 'authentication' | 'authorization'): void;
  readonly clock: Clock;
  /** From 0 to 1: keeps streams that began together from being looked at together. */
  readonly random: () => number;
  readonly logger: Logger;
}

const MAX_REASON_LENGTH = 1024;
/** A caller is looked at again after a time from half of this to all of it. */
const LOOK_AGAIN_MS = 3_600_000;

/** Lets in whoever is authenticated (docs/reference/xds.md#authentication). */
export function createCallGate(options: CallGateOptions): CallGate {
  const { authenticate, refused, clock, random, logger } = options;
  const log = createSubjectLog(logger, clock);
  const certificates = createConnectionCertificates();
  const refuse = (reason: 'authentication' | 'authorization', peer: string, error: unknown, message: string): void => {
    refused(reason);
    // A peer that comes again has another port.
    log.warn(peer.replace(/:\d+$/, ''), { peer, err: error }, message);
  };
  const identify = async (call: ServedCall): Promise<readonly WorkloadIdentity[]> => {
    const { identities } = await authenticate(callCredentialsOf(call, certificates));
    return identities.flatMap((identity) => parseSpiffeId(identity) ?? []);
  };

  return {
    admit: async (call) => {
      try {
        const identities = await identify(call);
        if (identities.length === 0) throw new Error('the caller has no SPIFFE id of a workload');
        return identities;
      } catch (cause) {
        refuse('authentication', call.getPeer(), cause, 'Caller of the secured listener is not authenticated');
        throw options.isOverload?.(cause) === true ? overloaded(cause) : unauthenticated(cause);
      }
    },
    watch: (call, admitted, onRevoked) => {
      let isOver = false;
      let cancel = (): void => undefined;
      const look = async (): Promise<void> => {
        const refusal = await identify(call).then(
          (identities) => (areSame(identities, admitted) ? undefined : new Error('the caller is another one now')),
          (error: unknown) => (options.isTemporary(error) ? undefined : error),
        );
        if (isOver) return;
        if (refusal === undefined) {
          schedule();
          return;
        }
        revoke(refusal);
      };
      const revoke = (refusal: unknown): void => {
        if (isOver) return;
        end();
        refuse('authentication', call.getPeer(), refusal, 'Caller of a stream is no longer authenticated');
        onRevoked(unauthenticated(refusal));
      };
      const ends = admitted.map((identity) => options.onRevoked?.(identity, revoke));
      const end = (): void => {
        isOver = true;
        cancel();
        for (const endOne of ends) endOne?.();
      };
      const schedule = (): void => {
        cancel = clock.schedule(LOOK_AGAIN_MS * (0.5 + random() / 2), () => void look());
      };
      schedule();
      return end;
    },
    denied: (call, error) => {
      refuse('authorization', call.getPeer(), error, 'Proxy claims to be another workload than it is');
    },
  };
}

function unauthenticated(cause: unknown): StreamError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StreamError('UNAUTHENTICATED', `authentication failure: ${reason.slice(0, MAX_REASON_LENGTH)}`, { cause });
}

/** A proxy tries again, and an operator does not look for a bad token. */
function overloaded(cause: unknown): StreamError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new StreamError('UNAVAILABLE', reason.slice(0, MAX_REASON_LENGTH), { cause });
}

function areSame(first: readonly WorkloadIdentity[], second: readonly WorkloadIdentity[]): boolean {
  return first.map(formatSpiffeId).sort().join() === second.map(formatSpiffeId).sort().join();
}

type RawCall = ServerDuplexStream<Buffer, Buffer>;

/**
 * Runs a handler once the gate has admitted the caller; until then nothing of the call is read. A refusal, and an error
 * that the handler throws, end the call with its status.
 */
export async function runGated(call: RawCall, gate: CallGate, handle: () => Promise<void>): Promise<void> {
  call.on('error', () => undefined);
  try {
    await gate.admit(call);
    await handle();
  } catch (error) {
    const { code, message } = error instanceof StreamError ? error : new StreamError('INTERNAL', 'internal error');
    call.emit('error', { code: status[code], details: message });
  }
}
