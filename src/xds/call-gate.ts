import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { Clock } from '../base/clock.js';
import { errorText } from '../base/error-text.js';
import { formatSpiffeId, parseSpiffeId, type WorkloadIdentity } from '../model/spiffe-id.js';
import { type CallCredentials, callCredentialsOf, type ServedCall } from '../net/call-credentials.js';
import { createConnectionCertificates } from '../net/connection-certificates.js';
import type { Logger } from '../telemetry/logger.js';
import { createSubjectLog } from '../telemetry/subject-log.js';
import { StreamError, toStreamError } from './stream-error.js';

/**
 * Authenticates the caller of every call to a secured listener, before a message of the call is read
 * (docs/security.md#what-navigator-guarantees).
 */
export interface CallGate {
  /**
   * Authenticates a caller. A caller can have several identities.
   *
   * @throws StreamError UNAUTHENTICATED
   */
  admit(call: ServedCall): Promise<readonly WorkloadIdentity[]>;
  /**
   * Authenticates the caller of an open stream again, every 30 to 60 minutes: tokens and certificates expire, and
   * accounts are deleted. While the check is unavailable, the stream stays open.
   *
   * @param admitted the identities that `admit` returned
   * @param onRevoked called once, when the caller no longer has these identities
   * @returns a function that ends the checks
   */
  watch(call: ServedCall, admitted: readonly WorkloadIdentity[], onRevoked: (error: StreamError) => void): () => void;
  /** Records an authenticated caller whose node claims another workload. */
  denied(call: ServedCall, error: StreamError): void;
}

export interface CallGateOptions {
  /** @returns SPIFFE ids. Throws if no credential of the caller proves an identity. */
  authenticate(credentials: CallCredentials): Promise<{ readonly identities: readonly string[] }>;
  /** Whether an error of `authenticate` says nothing about the caller, such as an API server that does not answer. */
  isTemporary(error: unknown): boolean;
  /** Whether an error of `authenticate` says that too many callers wait. Default: never. */
  isOverload?(error: unknown): boolean;
  /** Calls back once, when an identity is revoked at its source. Default: revocations are not known. */
  onRevoked?(identity: WorkloadIdentity, listener: (reason: Error) => void): () => void;
  /** `nav_xds_refused_streams`. */
  refused(reason: 'authentication' | 'authorization'): void;
  readonly clock: Clock;
  /** From 0 to 1; spreads the checks of streams that began at the same time. */
  readonly random: () => number;
  readonly logger: Logger;
}

const MAX_REASON_LENGTH = 1024;
/** A caller is authenticated again after a random time between half of this and all of it. */
const LOOK_AGAIN_MS = 3_600_000;

/** Admits authenticated callers (docs/reference/xds.md#authentication). */
export function createCallGate(options: CallGateOptions): CallGate {
  const { authenticate, refused, clock, random, logger } = options;
  const log = createSubjectLog(logger, clock);
  const certificates = createConnectionCertificates();
  const refuse = (reason: 'authentication' | 'authorization', peer: string, error: unknown, message: string): void => {
    refused(reason);
    // A peer that reconnects has another port.
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
        refuse('authentication', call.getPeer(), cause, 'caller of the secured listener is not authenticated');
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
        refuse('authentication', call.getPeer(), refusal, 'caller of a stream is no longer authenticated');
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
      refuse('authorization', call.getPeer(), error, 'node claims another workload than the proven one');
    },
  };
}

function unauthenticated(cause: unknown): StreamError {
  const reason = errorText(cause);
  return new StreamError('UNAUTHENTICATED', `authentication failure: ${reason.slice(0, MAX_REASON_LENGTH)}`, { cause });
}

/** The code makes a proxy retry, and keeps an operator from looking for a bad token. */
function overloaded(cause: unknown): StreamError {
  const reason = errorText(cause);
  return new StreamError('UNAVAILABLE', reason.slice(0, MAX_REASON_LENGTH), { cause });
}

function areSame(first: readonly WorkloadIdentity[], second: readonly WorkloadIdentity[]): boolean {
  return first.map(formatSpiffeId).sort().join() === second.map(formatSpiffeId).sort().join();
}

type RawCall = ServerDuplexStream<Buffer, Buffer>;

/**
 * Runs a handler after the gate has admitted the caller; no message of the call is read before. A rejection, or an
 * error of the handler, ends the call with its status.
 */
export async function runGated(call: RawCall, gate: CallGate, handle: () => Promise<void>): Promise<void> {
  call.on('error', () => undefined);
  try {
    await gate.admit(call);
    await handle();
  } catch (error) {
    const { code, message } = toStreamError(error);
    call.emit('error', { code: status[code], details: message });
  }
}
