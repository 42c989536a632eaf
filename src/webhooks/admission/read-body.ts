import type { IncomingMessage } from 'node:http';
import type { BodyBudget, BodyClaim } from './body-budget.js';

export type ReadBody =
  | {
      readonly type: 'body';
      readonly bytes: Buffer;
      /** The listener is called if the budget releases the body before `begin`. */
      onCutOff(listener: () => void): void;
      /** Marks the start of the review. */
      begin(): void;
      release(): void;
    }
  | { readonly type: 'too-long' }
  /** The shared budget is used up, and this body found no room or had to make room. */
  | { readonly type: 'busy' }
  /** The caller closed the connection. */
  | { readonly type: 'cut-off' };

/**
 * Reads a request's body up to `maxBytes`. The server limits the time. Call `release` to return the bytes to the
 * budget, when the body and all objects made from it are no longer used.
 */
export function readBody(
  request: IncomingMessage,
  maxBytes: number,
  budget: BodyBudget,
  claim: BodyClaim,
): Promise<ReadBody> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) return Promise.resolve({ type: 'too-long' });
  if (request.destroyed) return Promise.resolve({ type: 'cut-off' });
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let received = 0;
    const finish = (result: ReadBody): void => {
      request.off('data', take).off('end', end).off('close', cutOff).off('error', cutOff);
      request.on('error', () => undefined);
      if (result.type === 'body') account.complete();
      else account.close();
      resolve(result);
    };
    let cutOffByBudget = (): void => finish({ type: 'busy' });
    const account = budget.open(claim, () => cutOffByBudget());
    const take = (chunk: Buffer): void => {
      if (received + chunk.length > maxBytes) finish({ type: 'too-long' });
      else if (!account.take(chunk.length)) finish({ type: 'busy' });
      else {
        received += chunk.length;
        chunks.push(chunk);
      }
    };
    const end = (): void =>
      finish({
        type: 'body',
        bytes: chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks),
        onCutOff: (listener) => {
          cutOffByBudget = listener;
        },
        begin: account.begin,
        release: account.close,
      });
    const cutOff = (): void => finish({ type: 'cut-off' });
    request.on('data', take).on('end', end).on('close', cutOff).on('error', cutOff);
  });
}
