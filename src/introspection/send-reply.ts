import type { Request, Response } from 'express';
import type { Clock } from '../base/clock.js';
import { jsonPieces } from './json-source.js';
import { chunkPieces, streamChunks } from './json-stream.js';
import type { Reply } from './page.js';
import type { RenderTurns } from './render-turns.js';
import type { SharedBytes } from './shared-bytes.js';

export interface SendTools {
  readonly clock: Clock;
  readonly turns: RenderTurns;
  readonly shared: SharedBytes;
}

/** Writes the reply of a page. A HEAD request gets only the headers, and no long body is rendered for it. */
export async function sendReply(request: Request, response: Response, reply: Reply, tools: SendTools): Promise<void> {
  switch (reply.type) {
    case 'empty':
      response.status(reply.status).end();
      return;
    case 'redirect':
      response.status(303).setHeader('Location', reply.location).end();
      return;
    case 'events':
      reply.open(response);
      return;
    case 'text':
      response.setHeader('Content-Type', reply.contentType ?? 'text/plain; charset=utf-8');
      response.end(reply.text);
      return;
    case 'bytes':
      response.setHeader('Content-Type', reply.contentType).setHeader('Content-Length', reply.bytes.length);
      tools.shared.send(response, reply.bytes);
      return;
    case 'html':
      response.setHeader('Content-Type', 'text/html; charset=utf-8');
      response.end(reply.html.markup);
      return;
    case 'lines':
      await stream(request, response, 'text/plain; charset=utf-8', reply.lines, tools);
      return;
    case 'json':
      await stream(request, response, 'application/json; charset=utf-8', jsonDocument(reply), tools);
  }
}

function* jsonDocument(reply: Extract<Reply, { type: 'json' }>): Generator<string> {
  yield* jsonPieces(reply.body);
  yield '\n';
}

async function stream(
  request: Request,
  response: Response,
  contentType: string,
  pieces: Iterable<string>,
  { clock, turns }: SendTools,
): Promise<void> {
  const chunks = chunkPieces(pieces, clock, turns);
  if (request.method === 'HEAD') {
    response.setHeader('Content-Type', contentType).end();
    return;
  }
  // An error before the first chunk can still be answered with 500.
  const first = await chunks.next();
  if (response.destroyed) return;
  response.setHeader('Content-Type', contentType);
  await streamChunks(first.value ?? '', chunks, response);
}
