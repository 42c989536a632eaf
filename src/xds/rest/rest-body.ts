import type { IncomingMessage } from 'node:http';
import type { SharedBudget } from '../../net/guard/shared-budget.js';
import { LimitError } from '../limits/xds-limits.js';
import { StreamError } from '../stream-error.js';

/** A body that has not arrived completely. */
export interface ArrivingBody {
  /** Address of the peer. */
  readonly group: string;
  evict(): void;
}

/**
 * Reads the body of a request.
 *
 * @param budget of the bodies that arrive
 * @param maxBytes of one body (MESH_GPRC_MAXRECVMSGSIZE)
 * @returns undefined if the connection closed before the end
 * @throws StreamError if the body is too large, or too many others are larger
 */
export function readRestBody(
  request: IncomingMessage,
  budget: SharedBudget<ArrivingBody>,
  maxBytes: number,
): Promise<Buffer | undefined> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let bytes = 0;
    let isOver = false;
    const finish = (settle: () => void): void => {
      if (isOver) return;
      isOver = true;
      budget.set(holder, 0);
      settle();
    };
    const holder: ArrivingBody = {
      group: request.socket.remoteAddress ?? '',
      evict: () => finish(() => reject(new LimitError('restBodyBytes', EVICTED))),
    };
    const refuse = (): void => finish(() => reject(tooLarge(maxBytes)));
    if (Number(request.headers['content-length'] ?? 0) > maxBytes) refuse();
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
      if (isOver) return;
      if (bytes > maxBytes) {
        refuse();
        return;
      }
      chunks.push(chunk);
      budget.set(holder, bytes);
    });
    request.on('end', () => finish(() => resolve(Buffer.concat(chunks))));
    request.on('close', () => finish(() => resolve(undefined)));
    request.on('error', () => finish(() => resolve(undefined)));
  });
}

const EVICTED = 'the bodies of requests that arrive at the same time are too large together';

function tooLarge(maxBytes: number): StreamError {
  const setting = 'the limit is the setting MESH_GPRC_MAXRECVMSGSIZE of the control plane';
  return new StreamError('RESOURCE_EXHAUSTED', `the body has more than ${maxBytes} bytes; ${setting}`);
}
