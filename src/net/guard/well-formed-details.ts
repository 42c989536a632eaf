import type { ServerInterceptingCallInterface } from '@grpc/grpc-js';

/** Half of a character that UTF-16 writes as two. */
const HALF_CHARACTER = /\p{Surrogate}/u;
const HALF_CHARACTERS = /\p{Surrogate}/gu;

/**
 * Replaces what no UTF-8 has in the details of a call's status. grpc-js throws where it encodes such details, and an error
 * of ours may quote a peer's text that has them, or cut one in the middle of a character.
 */
export function sendWellFormedDetails(call: Pick<ServerInterceptingCallInterface, 'sendStatus'>): void {
  const sendStatus = call.sendStatus.bind(call);
  call.sendStatus = (ended) => {
    const { details } = ended;
    if (typeof details !== 'string' || !HALF_CHARACTER.test(details)) sendStatus(ended);
    else sendStatus({ ...ended, details: details.replace(HALF_CHARACTERS, '\u{fffd}') });
  };
}
