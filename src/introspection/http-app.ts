import { hash } from 'node:crypto';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Clock } from '../base/clock.js';
import { nearestName } from '../base/nearest-name.js';
import type { Logger } from '../telemetry/logger.js';
import { type AccessPolicy, callerOf, isLoopbackCaller, refusalOf } from './access.js';
import { FAILED_PAGE, HttpProblem } from './http-problem.js';
import type { Page } from './page.js';
import { createPages } from './page-table.js';
import { createRenderTurns, MAX_OPEN_PAGES } from './render-turns.js';
import { type SendTools, sendReply } from './send-reply.js';
import { createSharedBytes } from './shared-bytes.js';
import type { Views } from './views.js';
import { FRAME_SCRIPT } from './web/frame-script.js';
import { FRAME_STYLE } from './web/frame-style.js';
import { createLivePages } from './web/live-pages.js';

export interface HttpAppOptions {
  readonly views: Views;
  readonly logger: Logger;
  readonly clock: Clock;
  /** The callers that may see configuration. Default: callers on this machine that use a loopback name or address. */
  readonly access?: Partial<AccessPolicy>;
  /** Called when a limit of open pages refuses a request, or closes the connection of a slow reader. */
  readonly onRefused?: (peer: string) => void;
  /** Default: `createPages()`. */
  readonly pages?: readonly Page[];
}

export interface HttpApp extends Express {
  /** Ends the streams of open pages, so that a shutdown does not wait for them. */
  endStreams(): void;
}

/** Makes the app that :8080 and :15014 share (docs/reference/http.md#listeners). `createHttpServer` serves it. */
export function createHttpApp(options: HttpAppOptions): HttpApp {
  const { logger } = options;
  const pages = options.pages ?? createPages();
  const access: AccessPolicy = { mayReadConfiguration: isLoopbackCaller, ownNames: [], ...options.access };
  const headers = securityHeaders();

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
  const live = createLivePages({ pages, views: options.views, clock: options.clock, logger });
  const handlers = new Map(
    [...pages, live.page].map((page) => [
      page.path.toLowerCase(),
      { page, handle: pageHandler(page, access, tools, options) },
    ]),
  );
  app.use(async (request, response, next) => {
    const found = findPage(handlers, request);
    if (found === undefined) return next();
    requireMethod(found.page, request, response);
    await found.handle(request, response, found.name);
  });
  app.use((request) => {
    throw new HttpProblem(404, notFoundText(request.path, pages));
  });
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    sendProblem(error, request, response, logger);
  });
  return Object.assign(app, { endStreams: live.stop });
}

function pageHandler(page: Page, access: AccessPolicy, tools: SendTools, options: HttpAppOptions) {
  const { views, logger, clock } = options;
  const answer = async (
    request: Request,
    response: Response,
    name: string | undefined,
    body: string,
  ): Promise<void> => {
    const named = { now: clock.now(), ...(name === undefined ? {} : { name }) };
    const reply =
      page.change !== undefined && !isRead(request)
        ? await page.change.handle(views, { ...named, body })
        : await page.handle(views, {
            ...named,
            query: queryOf(request.url),
            safe: request.method === 'HEAD',
            wantsJson: wantsJson(request),
          });
    if (!response.destroyed) await sendReply(request, response, reply, tools);
  };
  return async (request: Request, response: Response, name?: string): Promise<void> => {
    if (page.audience === 'operator') {
      const caller = callerOf(request);
      const refusal = refusalOf(caller, access);
      if (refusal !== undefined) {
        logger.debug({ path: page.path, peer: caller.peerAddress, refusal }, 'debug page refused');
        throw new HttpProblem(403, refusal);
      }
    }
    if (page.audience === 'anyone') {
      await answer(request, response, name, '');
      return;
    }
    const body = isRead(request) ? '' : await readBody(request);
    const close = tools.turns.open();
    if (close === undefined) {
      options.onRefused?.(request.socket.remoteAddress ?? '');
      response.setHeader('Retry-After', '1');
      throw new HttpProblem(
        503,
        `This server sends at most ${MAX_OPEN_PAGES} pages at the same time. Try again later.`,
      );
    }
    try {
      await tools.turns.next();
      // The client may have disconnected while it waited.
      if (!response.destroyed) await answer(request, response, name, body);
    } catch (error) {
      if (page.renderProblem === undefined || !(error instanceof HttpProblem) || !wantsHtml(request)) throw error;
      response.status(error.status);
      await sendReply(request, response, { type: 'html', html: page.renderProblem(views, error.message) }, tools);
    } finally {
      close();
    }
  };
}

interface ServedPage {
  readonly page: Page;
  handle(request: Request, response: Response, name?: string): Promise<void>;
}

/** The page of a path, in any case and with or without a slash at its end; a page that `isNamed` takes one part more. */
function findPage(
  handlers: ReadonlyMap<string, ServedPage>,
  request: Request,
): (ServedPage & { readonly name?: string }) | undefined {
  const path = request.path.replace(/(?<=.)\/$/, '');
  const exact = handlers.get(path.toLowerCase());
  if (exact !== undefined) return exact;
  const slash = path.lastIndexOf('/');
  const found = handlers.get(path.slice(0, slash).toLowerCase());
  const isNamed = isRead(request) ? found?.page.isNamed : found?.page.change?.isNamed;
  return found === undefined || isNamed !== true ? undefined : { ...found, name: path.slice(slash + 1) };
}

function isRead({ method }: Request): boolean {
  return method === 'GET' || method === 'HEAD';
}

function requireMethod({ change }: Page, request: Request, response: Response): void {
  const { method, path } = request;
  if (isRead(request) || change?.methods.some((each) => each === method)) return;
  const allowed = ['GET', 'HEAD', ...(change?.methods ?? [])];
  response.setHeader('Allow', allowed.join(', '));
  throw new HttpProblem(
    405,
    `${path} accepts ${allowed.slice(0, -1).join(', ')} and ${allowed.at(-1)}, not ${method}.`,
  );
}

/** `limitBody` ends a request whose body is too long. */
async function readBody(request: Request): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

/** Characters of an unknown path in the error message. */
const MAX_SHOWN_PATH = 100;

function notFoundText(path: string, pages: readonly Page[]): string {
  const shown = path.slice(0, MAX_SHOWN_PATH);
  const nearest = nearestName(
    shown,
    pages.map((page) => page.path),
  );
  const hint = nearest === undefined ? '' : ` Did you mean ${nearest}?`;
  return `There is no page ${shown}.${hint} /debug lists all pages.`;
}

function sendProblem(error: unknown, request: Request, response: Response, logger: Logger): void {
  const problem = error instanceof HttpProblem ? error : new HttpProblem(500, FAILED_PAGE);
  if (problem !== error)
    logger.error({ err: error, method: request.method, path: request.path }, 'http handler failed');
  if (response.headersSent) {
    // The connection is closed, so that the reader notices the incomplete response.
    response.destroy();
    return;
  }
  response.status(problem.status).setHeader('Content-Type', 'text/plain; charset=utf-8').end(`${problem.message}\n`);
}

/** Whether a page for people should answer with its data: `format=json`, or `Accept` names JSON and not HTML. */
function wantsJson(request: Request): boolean {
  if (queryOf(request.url).get('format') === 'json') return true;
  const accept = request.headers.accept ?? '';
  return accept.includes('application/json') && !accept.includes('text/html');
}

/** Browsers name HTML; other programs get an error as text. */
function wantsHtml(request: Request): boolean {
  return isRead(request) && !wantsJson(request) && (request.headers.accept ?? '').includes('text/html');
}

/** Parses the query. Accepts any text. */
function queryOf(url: string): URLSearchParams {
  const start = url.indexOf('?');
  return new URLSearchParams(start === -1 ? '' : url.slice(start + 1));
}

/** No page needs a body. A smaller body is ignored, a larger body is refused. */
const MAX_BODY_BYTES = 64 * 1024;

/** Refuses a request with 413 if its declared length is too large. Closes the connection if an undeclared body becomes too large. */
function limitBody(request: Request, response: Response, next: NextFunction): void {
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared > MAX_BODY_BYTES) {
    response.setHeader('Connection', 'close');
    next(
      new HttpProblem(
        413,
        `The request body is longer than ${MAX_BODY_BYTES} bytes. The pages of this server need no body.`,
      ),
    );
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

/**
 * Headers of every response: no caching, no framing, no content sniffing. There are no CORS headers, so other origins
 * cannot read the pages. A page runs only its own script, loads only its own style sheet, and connects to this server only.
 */
function securityHeaders(): Readonly<Record<string, string>> {
  const digest = (text: string): string => `'sha256-${hash('sha256', text, 'base64')}'`;
  const sources = `style-src ${digest(FRAME_STYLE)}; script-src ${digest(FRAME_SCRIPT)}; connect-src 'self'`;
  return {
    'Cache-Control': 'no-store',
    'Content-Security-Policy': `default-src 'none'; ${sources}; form-action 'self'; frame-ancestors 'none'; base-uri 'none'`,
    'Cross-Origin-Resource-Policy': 'same-origin',
    // With no-referrer, browsers would send `Origin: null` with the forms of these pages.
    'Referrer-Policy': 'same-origin',
    'X-Content-Type-Options': 'nosniff',
    'X-Frame-Options': 'DENY',
  };
}
