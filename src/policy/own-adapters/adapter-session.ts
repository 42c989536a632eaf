import type { PolicyStatus } from '../client/policy-status.js';
import { AdapterError } from './adapter-error.js';
import { encodeSessionId } from './wire/encode-request.js';
import {
  encodeCloseRequest,
  encodeSessionRequest,
  readCreateAnswer,
  readValidateAnswer,
  SESSION_METHODS,
} from './wire/session-messages.js';

/** What a session needs of the way to its adapter. */
export interface SessionCalls {
  call(method: string, request: Buffer): Promise<Buffer>;
  /** Rises with each new connection. */
  generation(): number;
}

/** The session of a handler with an adapter, which begins again on each connection: a restarted adapter knows none. */
export interface AdapterSession {
  /** The id in the place of the parameters, without a promise while the session is open. @throws AdapterError */
  config(): Uint8Array | Promise<Uint8Array>;
  /** The adapter does not know the session: the next call begins another one. @param config that the call had */
  lost(config: Uint8Array): void;
  /** Never rejects. */
  close(): Promise<void>;
}

interface OpenSession {
  readonly id: string;
  readonly config: Uint8Array;
  readonly generation: number;
}

/**
 * @param config the parameters of the handler, a google.protobuf.Any
 * @param types of the values of its instances, by name of the instance, each a google.protobuf.Any
 */
export function createAdapterSession(
  { call, generation }: SessionCalls,
  config: Uint8Array | undefined,
  types: ReadonlyMap<string, Uint8Array>,
): AdapterSession {
  const request = encodeSessionRequest(config, types);
  let open: OpenSession | undefined;
  let pending: Promise<OpenSession> | undefined;

  const end = async (id: string): Promise<void> => {
    // A restarted adapter does not know it any more.
    await call(SESSION_METHODS.close, encodeCloseRequest(id)).catch(() => undefined);
  };
  const begin = async (): Promise<OpenSession> => {
    expectOk(readValidateAnswer(await call(SESSION_METHODS.validate, request)), 'refused the parameters');
    const startedAt = generation();
    const { id, status } = readCreateAnswer(await call(SESSION_METHODS.create, request));
    expectOk(status, 'created no session');
    const former = open;
    open = { id, config: encodeSessionId(id), generation: startedAt };
    if (former !== undefined && former.id !== id) void end(former.id);
    return open;
  };
  const beginOnce = (): Promise<OpenSession> => {
    pending ??= begin().finally(() => {
      pending = undefined;
    });
    return pending;
  };
  const isValid = (session: OpenSession): boolean => session.generation === generation();

  return {
    config: () => (open !== undefined && isValid(open) ? open.config : beginOnce().then((session) => session.config)),
    lost: (used) => {
      if (open?.config === used) open = { ...open, generation: -1 };
    },
    close: async () => {
      await pending?.catch(() => undefined);
      if (open !== undefined) await end(open.id);
    },
  };
}

function expectOk({ code, message }: PolicyStatus, what: string): void {
  if (code !== 'OK') throw new AdapterError(code, `the adapter ${what}: ${message}`);
}
