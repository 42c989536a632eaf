import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import type { Logger } from '../telemetry/logger.js';
import type { AdmissionEndpoint } from './admission/admission-endpoint.js';

export interface WebhookAppOptions {
  readonly validate: AdmissionEndpoint;
  /** Undefined if injection is off: its paths are then not served. */
  readonly inject: AdmissionEndpoint | undefined;
  readonly logger: Logger;
}

const VALIDATION_PATHS = ['/validate', '/admitnavigator', '/admitpolicy'];
const INJECTION_PATHS = ['/inject', '/inject/*rest'];

/**
 * The routes of :15017 (docs/reference/webhooks.md#paths). Each endpoint limits the bytes that it reads of a request.
 */
export function createWebhookApp({ validate, inject, logger }: WebhookAppOptions): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  // Endpoints read the query themselves.
  app.set('query parser', false);
  app.all(VALIDATION_PATHS, validate);
  if (inject !== undefined) app.all(INJECTION_PATHS, inject);
  app.get('/httpsReady', (_request, response) => void response.status(200).end());
  app.use((request, response) => {
    sendText(response, 404, notFoundText(request.path, inject !== undefined));
  });
  app.use((error: unknown, request: Request, response: Response, _next: NextFunction) => {
    if (statusOf(error) === 400) {
      sendText(response, 400, 'the path is not a valid URL path');
      return;
    }
    logger.error({ err: error, method: request.method, path: request.path }, 'https handler failed');
    if (response.headersSent) response.destroy();
    else sendText(response, 500, 'the request could not be answered; the log of this server has the error');
  });
  return app;
}

function notFoundText(path: string, injects: boolean): string {
  const known = injects ? '/validate, /inject and /httpsReady' : '/validate and /httpsReady; injection is off';
  return `There is no ${path.slice(0, 200)} here. This server has ${known}.`;
}

function sendText(response: Response, status: number, text: string): void {
  // An unread body must not be parsed as the next request.
  response.setHeader('Connection', 'close');
  response.status(status).setHeader('Content-Type', 'text/plain; charset=utf-8').end(`${text}\n`);
}

/** Express sets `status` on the error for a path that it cannot decode. */
function statusOf(error: unknown): unknown {
  return typeof error === 'object' && error !== null && 'status' in error ? error.status : undefined;
}
