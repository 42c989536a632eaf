import type { WorkloadIdentity } from '../model/spiffe-id.js';
import type { ServedCall } from '../net/call-credentials.js';
import type { Work } from '../push/work.js';
import type { CallGate } from './call-gate.js';
import { addressOf } from './limits/peers.js';
import type { SessionEnvironment } from './session-environment.js';

/**
 * Authenticates the caller of a call when it is the turn of its address: the peer has no proven identity yet. The call
 * counts as one of its connection meanwhile, and no message is read: requests wait in the transport, which limits them.
 *
 * @param isOver whether the call has ended
 * @returns undefined if the call ended before its turn
 * @throws LimitError if the connection has too many streams; StreamError UNAUTHENTICATED, UNAVAILABLE
 */
export async function admitInTurn(
  { peers, runner }: Pick<SessionEnvironment, 'peers' | 'runner'>,
  gate: CallGate,
  call: ServedCall,
  isOver: () => boolean,
): Promise<readonly WorkloadIdentity[] | undefined> {
  const peer = call.getPeer();
  const endWait = peers.wait(peer);
  let admission: Promise<readonly WorkloadIdentity[]> | undefined;
  // biome-ignore lint/correctness/useYield: authentication is short; only its beginning has to wait
  const begin = function* (): Work<void> {
    if (!isOver()) admission = gate.admit(call);
  };
  try {
    await runner.runInTurn({ peer: `unproven ${addressOf(peer)}`, source: peer }, begin());
    return await admission;
  } finally {
    endWait();
  }
}
