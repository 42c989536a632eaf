import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Clock } from '../base/clock.js';
import type { Logger } from '../telemetry/logger.js';
import { type AccessPolicy, refusalOf } from './access.js';
import { limitBody } from './body-limit.js';
import { callerOf, isLoopbackCaller } from './caller.js';
import { DEBUG_INDEX_STYLE } from './debug-index-template.js';
import { HttpProblem } from './http-problem.js';
import { nearestPath } from './nearest-path.js';
import type { Page } from './page.js';
import { createPages } from './page-table.js';
import { createRenderTurns, MAX_OPEN_PAGES } from './render-turns.js';
import { securityHeaders } from './security-headers.js';
import { type SendTools, sendReply } from './send-reply.js';
import { createSharedBytes } from './shared-bytes.js';
import type { Views } from './views.js';

export interface HttpAppOptions {
  readonly views: Views;
  readonly logger: Logger;
  readonly clock: Clock;
  /** Who may see configuration. Default: callers on this machine, under any of its loopback names. */
  readonly access?: Partial<AccessPolicy>;
  /** Called when a page is refused, or its slow reader cut off, because too many are read at once. */
  readonly onRefused?: (peer: string) => void;
  /** Default: all pages of BEHAVIOUR 2 that have landed. */
  readonly pages?: readonly Page[];
}

/** The HTTP surface that :8080 and :15014 share (BEHAVIOUR 2), to be served by `createHttpServer`. */
export function createHttpApp(options: HttpAppOptions): Express {
  const { logger } = options;
  const pages = options.pages ?? createPages();
  const access: AccessPolicy = { mayReadConfiguration: isLoopbackCaller, ownNames: [], ...options.access };
  const headers = securityHeaders([DEBUG_INDEX_STYLE]);

  const onRefused = options.onRefused ?? (() => undefined);
  const tools: SendTools = {
    clock: options.clock,
    turns: createRenderTurns(),
    shared: createSharedBytes((response) => onRefused(response.socket?.remoteAddress ?? '')),
  };

  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.use((_request, response, next) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    next();
  });
  app.use(limitBody);
  const handlers = new Map(pages.map((page) => [page.path.toLowerCase(), pageHandler(page, access, tools, options)]));
  app.use(async (request, response, next) => {
    const handle = handlers.get(request.path.toLowerCase().replace(/(?<=.)\/$/, ''));
    if (handle === undefined) return next();
    requireReadMethod(request, response);
    await handle(request, response);
  });
  app.use((request) => {
    throw new HttpProblem(404, notFoundText(request.path, pages));
  });
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    sendProblem(error, request, response, logger);
  });
  return app;
}

function pageHandler(page: Page, access: AccessPolicy, tools: SendTools, options: HttpAppOptions) {
  const { views, logger, clock } = options;
  const answer = async (request: Request, response: Response): Promise<void> => {
    const reply = await page.handle(views, {
      query: queryOf(request.url),
      safe: request.method === 'HEAD',
      now: clock.now(),
    });
    if (!response.destroyed) await sendReply(request, response, reply, tools);
  };
  return async (request: Request, response: Response): Promise<void> => {
    if (page.audience === 'operator') {
      const caller = callerOf(request);
      const refusal = refusalOf(caller, access);
      if (refusal !== undefined) {
        logger.debug({ path: page.path, peer: caller.peerAddress, refusal }, 'debug page refused');
        throw new HttpProblem(403, refusal);
      }
    }
    if (page.audience === 'anyone') {
      await answer(request, response);
      return;
    }
    const close = tools.turns.open();
    if (close === undefined) {
      options.onRefused?.(request.socket.remoteAddress ?? '');
      response.setHeader('Retry-After', '1');
      throw new HttpProblem(503, `${MAX_OPEN_PAGES} pages are being read already. Try again when one of them is done.`);
    }
    try {
      await tools.turns.next();
      // Nothing is rendered for a client that has gone meanwhile.
      if (!response.destroyed) await answer(request, response);
    } finally {
      close();
    }
  };
}

function requireReadMethod(request: Request, response: Response): void {
  if (request.method === 'GET' || request.method === 'HEAD') return;
  response.setHeader('Allow', 'GET, HEAD');
  throw new HttpProblem(405, `${request.path} takes GET and HEAD, not ${request.method}.`);
}

function notFoundText(path: string, pages: readonly Page[]): string {
  const known = pages.map((page) => page.path);
  const nearest = nearestPath(path, known);
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `There is no ${path.slice(0, 200)} here.${hint} /debug lists all pages.`;
}

function sendProblem(error: unknown, request: Request, response: Response, logger: Logger): void {
  const problem =
    error instanceof HttpProblem
      ? error
      : new HttpProblem(500, 'The page could not be made; the log of this server has the error.');
  if (problem !== error)
    logger.error({ err: error, method: request.method, path: request.path }, 'http handler failed');
  if (response.headersSent) {
    // The answer is broken off, so that its reader does not take it for complete.
    response.destroy();
    return;
  }
  response.status(problem.status).setHeader('Content-Type', 'text/plain; charset=utf-8').end(`${problem.message}\n`);
}

/** Never fails, whatever the request line says. */
function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}
