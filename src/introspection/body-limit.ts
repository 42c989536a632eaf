import type { NextFunction, Request, Response } from 'express';
import { HttpProblem } from './http-problem.js';

/** No page takes a body; a small one is read over, a larger one is refused. */
const MAX_BODY_BYTES = 64 * 1024;

/** Refuses (413) a body that says it is too long, and hangs up on one that turns out to be. */
export function limitBody(request: Request, response: Response, next: NextFunction): void {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_BODY_BYTES) {
    response.setHeader('Connection', 'close');
    next(new HttpProblem(413, `The request body is longer than ${MAX_BODY_BYTES} bytes; no page here takes one.`));
    return;
  }
  if (request.headers['transfer-encoding'] !== undefined) {
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > MAX_BODY_BYTES) request.socket.destroy();
    });
  }
  next();
}
