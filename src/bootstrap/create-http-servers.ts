import type { Clock } from '../base/clock.js';
import { createHttpApp } from '../introspection/http-app.js';
import { createHttpServer, type HttpServer } from '../introspection/http-server.js';
import type { Views } from '../introspection/views.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { httpServerSettings } from './map-options.js';
import type { ListenAddress, Options } from './options.js';
import { reportHttpRefusals } from './report-http-refusals.js';

export interface HttpServerParts {
  readonly options: Options;
  readonly views: Views;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
}

/** Creates the listeners of :8080 and :15014, which serve the same pages (docs/reference/http.md#listeners). */
export function createHttpServers(parts: HttpServerParts): {
  readonly http: HttpServer;
  readonly monitoring: HttpServer;
} {
  const { options, views, metrics, logger, clock } = parts;
  const { discovery } = options;
  const pagesRefused = reportHttpRefusals('pages', metrics, logger, clock);
  const app = createHttpApp({ views, logger, clock, onRefused: (peer) => pagesRefused({ peer, reason: 'pages' }) });
  const serve = (setting: string, address: ListenAddress): HttpServer =>
    createHttpServer({
      setting,
      address,
      app,
      logger,
      clock,
      ...httpServerSettings(options),
      onRefused: reportHttpRefusals(setting, metrics, logger, clock),
    });
  return {
    http: serve('--httpAddr', discovery.httpAddr),
    monitoring: serve('--monitoringAddr', discovery.monitoringAddr),
  };
}
