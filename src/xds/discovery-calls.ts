import { createFramePieces } from '../envoy/wire-message.js';
import { http2StreamOf } from '../net/http2-stream-of.js';
import type { Logger } from '../telemetry/logger.js';
import { admitInTurn } from './admission.js';
import type { CallGate } from './call-gate.js';
import type { DiscoveryStream } from './discovery-stream.js';
import { createGrpcStream } from './grpc-stream.js';
import { LimitError } from './limits/xds-limits.js';
import { ProxySession, type SessionOptions } from './proxy-session.js';
import { readRequests } from './request-intake.js';
import type { SessionEnvironment } from './session-environment.js';
import type { RawCall } from './shared-write.js';
import { StreamError, toStreamError } from './stream-error.js';
import { createUnaryStream } from './unary-stream.js';

export interface SessionHooks {
  closed(session: ProxySession): void;
}

/** The only type of a per-type service, and the variant of xDS. */
export interface ServedMethod extends Pick<SessionOptions, 'onlyType' | 'variant'> {
  /** The call has one response. */
  readonly isUnary: boolean;
}

/** The discovery calls of one server. */
export interface DiscoveryCalls {
  serve(call: RawCall, method: ServedMethod): void;
  /** Ends all calls, also those whose caller is not authenticated yet. */
  endAll(error: StreamError): void;
  /** Calls back when the last call has left the wire. */
  whenNone(then: () => void): void;
}

export interface DiscoveryCallsOptions {
  readonly environment: SessionEnvironment;
  readonly hooks: SessionHooks;
  readonly logger: Logger;
  /** Undefined on a listener that does not authenticate callers. */
  readonly gate: CallGate | undefined;
}

export function createDiscoveryCalls({ environment, hooks, logger, gate }: DiscoveryCallsOptions): DiscoveryCalls {
  const sessions = new Set<ProxySession>();
  const waiting = new Set<DiscoveryStream>();
  const onTheWire = createCallCount();
  const frames = createFramePieces();
  let ended = false;

  const refuse = (call: RawCall, error: StreamError): void => {
    if (gate !== undefined && error.code === 'PERMISSION_DENIED') gate.denied(call, error);
    else environment.refused(call.getPeer(), error);
  };

  /** Undefined if the peer has too many streams; the call then ends. */
  const createSession = (call: RawCall, options: SessionOptions & ServedMethod): ProxySession | undefined => {
    const stream = options.isUnary ? createUnaryStream(createGrpcStream(call, frames)) : createGrpcStream(call, frames);
    try {
      return new ProxySession(environment, stream, options);
    } catch (error) {
      if (!(error instanceof StreamError)) throw error;
      refuse(call, error);
      call.on('error', () => undefined);
      call.resume();
      stream.end(error);
      return undefined;
    }
  };

  const open = (call: RawCall, options: SessionOptions & ServedMethod): void => {
    const session = createSession(call, options);
    if (session === undefined) return;
    sessions.add(session);
    let open = true;
    let stopWatching = (): void => undefined;
    let stopReading = (): void => undefined;
    const close = (): void => {
      if (!open) return;
      open = false;
      stopWatching();
      stopReading();
      sessions.delete(session);
      session.close();
      hooks.closed(session);
    };
    const fail = (cause: unknown): void => {
      const error = toStreamError(cause);
      if (error.code === 'INTERNAL') {
        environment.metrics.internalError();
        logger.error({ err: cause, peer: call.getPeer() }, 'discovery request failed');
      }
      refuse(call, error);
      session.end(error);
      close();
    };
    stopReading = readRequests({
      call,
      limits: environment.limits,
      clock: environment.clock,
      receive: (message) => session.receive(message),
      fail,
      onTooFast: () => environment.tooFast(call.getPeer()),
    });
    if (gate !== undefined && options.callerIdentities !== undefined) {
      stopWatching = gate.watch(call, options.callerIdentities, (error) => {
        session.end(error);
        close();
      });
    }
    call.on('end', () => session.finish());
    call.on('error', close);
    call.on('close', close);
    call.on('cancelled', close);
  };

  const openWhenAdmitted = async (gate: CallGate, call: RawCall, method: ServedMethod): Promise<void> => {
    const stream = createGrpcStream(call, frames);
    waiting.add(stream);
    try {
      const callerIdentities = await admitInTurn(environment, gate, call, () => isOver(call));
      if (callerIdentities !== undefined && !isOver(call)) open(call, { ...method, callerIdentities });
    } catch (error) {
      if (error instanceof LimitError) environment.refused(call.getPeer(), error);
      stream.end(toStreamError(error));
    } finally {
      waiting.delete(stream);
    }
  };

  const isOver = (call: RawCall): boolean => call.cancelled || call.destroyed || ended;

  return {
    serve: (call, method) => {
      onTheWire.add(call);
      if (gate === undefined) {
        open(call, method);
        return;
      }
      call.on('error', () => undefined);
      void openWhenAdmitted(gate, call, method);
    },
    endAll: (error) => {
      ended = true;
      for (const stream of [...sessions, ...waiting]) stream.end(error);
    },
    whenNone: onTheWire.whenNone,
  };
}

/** Counts the discovery calls on the wire. */
function createCallCount(): { add(call: RawCall): void; whenNone(then: () => void): void } {
  let open = 0;
  let none: () => void = () => undefined;
  return {
    add: (call) => {
      open++;
      // The call emits `close` before its end is sent.
      (http2StreamOf(call) ?? call).once('close', () => {
        open--;
        if (open === 0) none();
      });
    },
    whenNone: (then) => {
      none = then;
      if (open === 0) then();
    },
  };
}
