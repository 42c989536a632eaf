import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { WorkloadIdentity } from '../model/spiffe-id.js';
import type { GrpcService } from '../net/grpc-service.js';
import { passThrough, rawStreamingMethod } from '../net/raw-method.js';
import { admitInTurn } from './admission.js';
import type { CallGate } from './call-gate.js';
import { type PeerStream, peerKeyOf } from './limits/peers.js';
import { readRequests } from './request-intake.js';
import type { SessionEnvironment } from './session-environment.js';
import { StreamError, toStreamError } from './stream-error.js';

/** A call whose messages pass through as bytes, both ways. */
export type ByteCall = ServerDuplexStream<Buffer, Buffer>;

/** A call of an admitted caller. */
export interface MessageCall {
  readonly call: ByteCall;
  /** The account of the call: the reader counts what it keeps, and gives it up when it closes. */
  readonly peer: PeerStream;
  /** The identities that the caller has proven; undefined on a listener that does not authenticate callers. */
  readonly identities: readonly WorkloadIdentity[] | undefined;
}

export interface MessageReader {
  /**
   * Handles a message. The next one has to wait until this one is handled.
   *
   * @returns how many requests it counts as; a promise if it takes longer
   * @throws StreamError if the message ends the call; the promise rejects with it
   */
  receive(message: Buffer): number | Promise<number>;
  /** The call is over. Called once. */
  close?(): void;
}

export interface MessageServiceParts {
  readonly environment: SessionEnvironment;
  /** Undefined on a listener that does not authenticate callers. */
  readonly gate: CallGate | undefined;
  /** Full name of the gRPC service. */
  readonly service: string;
  readonly methods: readonly string[];
  /** The log message for an error of this server. */
  readonly failure: string;
  /** @throws StreamError if the caller may not make the call */
  accept(call: MessageCall): MessageReader;
}

/**
 * A gRPC service beside discovery. Its calls pass the same checks as discovery streams: the gate, the limits of the peer
 * and the pace of requests; and they end with the rights of their caller, and with the server.
 */
export function createMessageService(parts: MessageServiceParts): GrpcService {
  const { environment, gate, service, methods, failure, accept } = parts;
  const { limits, clock } = environment;
  /** The open calls, also those whose caller is not authenticated yet; each with a function that forgets it. */
  const calls = new Map<ByteCall, () => boolean>();

  const serve = async (call: ByteCall): Promise<void> => {
    let close = (): void => undefined;
    /** @returns whether the call was open */
    const leave = (): boolean => {
      if (!calls.delete(call)) return false;
      close();
      return true;
    };
    const end = (cause: unknown): void => {
      if (leave()) fail(call, cause);
    };
    calls.set(call, leave);
    call.on('error', () => undefined);
    call.on('close', leave);
    call.on('cancelled', leave);
    try {
      const isOver = (): boolean => !calls.has(call);
      const identities = gate && (await admitInTurn(environment, gate, call, isOver));
      if (!isOver()) close = open(call, identities, end, leave);
    } catch (cause) {
      end(cause);
    }
  };

  /** @returns a function that frees what the call holds */
  const open = (
    call: ByteCall,
    identities: MessageCall['identities'],
    end: (cause: unknown) => void,
    leave: () => boolean,
  ): (() => void) => {
    const peer = environment.peers.open(peerKeyOf(call.getPeer(), identities));
    let reader: MessageReader;
    try {
      reader = accept({ call, peer, identities });
    } catch (cause) {
      peer.close();
      throw cause;
    }
    const stopReading = readRequests({
      ...{ call, limits, clock, fail: end },
      receive: (message) => {
        const received = reader.receive(message);
        return typeof received === 'number' ? received : countWhile(peer, message, received);
      },
      onTooFast: () => environment.tooFast(call.getPeer()),
    });
    const stopWatching = gate && identities && gate.watch(call, identities, end);
    call.on('end', () => {
      leave();
      call.end();
    });
    return () => {
      stopReading();
      stopWatching?.();
      reader.close?.();
      peer.close();
    };
  };

  const fail = (call: ByteCall, cause: unknown): void => {
    const error = toStreamError(cause);
    if (error.code === 'INTERNAL') {
      environment.metrics.internalError();
      environment.logger.error({ err: cause, peer: call.getPeer() }, failure);
    } else if (gate !== undefined && error.code === 'PERMISSION_DENIED') gate.denied(call, error);
    else if (error.code !== 'UNAUTHENTICATED') environment.refused(call.getPeer(), error);
    emitError(call, error);
  };

  return {
    name: service,
    addTo: (server) => {
      for (const method of methods) {
        server.addService(
          { [method]: rawStreamingMethod(`/${service}/${method}`, passThrough) },
          { [method]: (call: ByteCall) => void serve(call) },
        );
      }
    },
    endStreams: () => {
      const error = new StreamError('UNAVAILABLE', 'server is shutting down');
      for (const [call, leave] of [...calls]) if (leave()) emitError(call, error);
    },
  };
}

/** A message that waits for its turn counts at its peer. */
async function countWhile(peer: PeerStream, message: Buffer, received: Promise<number>): Promise<number> {
  peer.replace(undefined, message);
  try {
    peer.checkBytes();
  } catch (error) {
    // The call ends; its message is dropped at its turn.
    received.catch(() => undefined);
    peer.replace(message, undefined);
    throw error;
  }
  return await received.finally(() => peer.replace(message, undefined));
}

/** Ends the call with the status of an error. */
function emitError(call: ByteCall, { code, message }: StreamError): void {
  call.emit('error', { code: status[code], details: message });
}
