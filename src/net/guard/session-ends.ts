import type { ServerHttp2Session } from 'node:http2';

/**
 * Prevents two crashes at the end of HTTP/2 sessions. Node 20 aborts the process in two cases that any peer can cause
 * without credentials, and JavaScript cannot catch an abort. Both are bugs of Node in the timing of the end of a
 * session.
 */
export interface SessionEnds {
  /** Call this with each session before it reads data. */
  watch(session: ServerHttp2Session): void;
}

export function createSessionEnds(): SessionEnds {
  const held = new Set<object>();
  return {
    watch: (session) => {
      endBetweenReads(session);
      const native = nativeOf(session);
      if (native === undefined) return;
      // Node frees a native stream in the event loop turn after its end. If the garbage collector frees the session
      // earlier, the memory accounting of the session is wrong, and Node aborts ("current_nghttp2_memory_").
      held.add(native);
      session.once('close', () => afterTurns(TURNS, () => held.delete(native)));
    },
  };
}

/** Turns of the event loop. Streams that end together with their session are freed in the first or second turn. */
const TURNS = 3;

function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(afterTurns, turns - 1, then);
}

/**
 * Ends a session only between two reads. When a peer sends GOAWAY, Node ends the session while nghttp2 still reads the
 * rest of the data; nghttp2 then aborts at the next frame of a wrong length ("NGHTTP2_IB_IGN_ALL").
 */
function endBetweenReads(session: ServerHttp2Session): void {
  const destroy = session.destroy.bind(session);
  let isEnding = false;
  session.destroy = (...reason) => {
    if (isEnding) return;
    isEnding = true;
    setImmediate(destroy, ...reason);
  };
}

/**
 * The native object of a session. If a version of Node names it differently, the result is undefined, and a test fails.
 */
function nativeOf(session: ServerHttp2Session): object | undefined {
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'kHandle');
  const native: unknown = key === undefined ? undefined : Reflect.get(session, key);
  return typeof native === 'object' && native !== null ? native : undefined;
}
