import type { ServerHttp2Session } from 'node:http2';

/**
 * How HTTP/2 sessions end. Node 20 aborts the process, with nothing that JavaScript could catch, in two cases that
 * any peer can bring about without credentials. Both are mistakes of Node about the moment at which a session ends.
 */
export interface SessionEnds {
  /** To be called with each session before it has read anything. */
  watch(session: ServerHttp2Session): void;
}

export function createSessionEnds(): SessionEnds {
  const held = new Set<object>();
  return {
    watch: (session) => {
      endBetweenReads(session);
      const native = nativeOf(session);
      if (native === undefined) return;
      // Node frees a native stream in the turn after its end. When the garbage collector takes the session before that,
      // its header fields are missing from the session's account, and Node aborts ("current_nghttp2_memory_").
      held.add(native);
      session.once('close', () => afterTurns(TURNS, () => held.delete(native)));
    },
  };
}

/** Of the event loop. Streams that end together with their session are freed in the first or the second one. */
const TURNS = 3;

function afterTurns(turns: number, then: () => void): void {
  if (turns === 0) then();
  else setImmediate(afterTurns, turns - 1, then);
}

/**
 * Lets a session end only between two reads. When a peer says GOAWAY, Node ends the session while nghttp2 reads what
 * came with it; nghttp2 reads on, and aborts at the next frame of a wrong length ("NGHTTP2_IB_IGN_ALL").
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

/** The object under a session that Node's native code works with; undefined where Node names it otherwise. Tests notice. */
function nativeOf(session: ServerHttp2Session): object | undefined {
  const key = Object.getOwnPropertySymbols(session).find(({ description }) => description === 'kHandle');
  const native: unknown = key === undefined ? undefined : Reflect.get(session, key);
  return typeof native === 'object' && native !== null ? native : undefined;
}
