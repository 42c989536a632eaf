import { type ServerDuplexStream, status } from '@grpc/grpc-js';
import type { CallGate } from './call-gate.js';
import { StreamError } from './stream-error.js';

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
