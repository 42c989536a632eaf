import type { RequestListener } from 'node:http';
import type { Clock } from '../base/clock.js';
import type { MessageJson } from '../envoy/message-json.js';
import { withPatchMessages } from '../envoy/messages/patch-registry.js';
import type { ProtoRegistry } from '../envoy/proto-registry.js';
import { createRestMessageJson } from '../envoy/rest-config-source.js';
import { createHttpApp } from '../introspection/http-app.js';
import { createHttpServer, type HttpServer } from '../introspection/http-server.js';
import { createPages, DISCOVERY_SITE } from '../introspection/page-table.js';
import { createPprofPages } from '../introspection/profiling/pprof-pages.js';
import type { Views } from '../introspection/views.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { createRestDiscovery, type RestDiscovery } from '../xds/rest/rest-discovery.js';
import { httpServerSettings, restSettings } from './map-options.js';
import type { ListenAddress, Options } from './options.js';
import { createProfiler } from './profiling/profiler.js';
import type { ProxyServing } from './proxy-serving.js';
import { reportHttpRefusals } from './report-http-refusals.js';

export interface HttpServerParts {
  readonly options: Options;
  readonly views: Views;
  readonly metrics: Metrics;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly protos: ProtoRegistry;
  /** The sessions of proxies that poll share these with the sessions of the gRPC listeners. */
  readonly proxies: Pick<ProxyServing, 'session' | 'hooks'>;
}

/**
 * Creates the listeners of :8080 and :15014, which serve the same pages (docs/reference/http.md#listeners). The first
 * one serves xDS over REST too.
 */
export function createHttpServers(parts: HttpServerParts): {
  readonly http: HttpServer;
  readonly monitoring: HttpServer;
} {
  const { options, views, metrics, logger, clock } = parts;
  const { discovery } = options;
  const pagesRefused = reportHttpRefusals('pages', metrics, logger, clock);
  const pages = createPages(DISCOVERY_SITE, discovery.profile ? createPprofPages(createProfiler(clock)) : []);
  const app = createHttpApp({
    views,
    pages,
    logger,
    clock,
    onRefused: (peer) => pagesRefused({ peer, reason: 'pages' }),
  });
  const rest = createRest(parts);
  const serve = (setting: string, address: ListenAddress, handler: RequestListener): HttpServer =>
    createHttpServer({
      setting,
      address,
      app: handler,
      onStop: app.endStreams,
      logger,
      clock,
      ...httpServerSettings(options),
      onRefused: reportHttpRefusals(setting, metrics, logger, clock),
    });
  const http = serve('--httpAddr', discovery.httpAddr, (request, response) => {
    if (!rest.handle(request, response)) app(request, response);
  });
  return {
    http: {
      start: http.start,
      stop: () => {
        rest.stop();
        return http.stop();
      },
    },
    monitoring: serve('--monitoringAddr', discovery.monitoringAddr, app),
  };
}

function createRest({ options, proxies, protos }: HttpServerParts): RestDiscovery {
  const settings = restSettings(options);
  let json: MessageJson | undefined;
  return createRestDiscovery({
    settings,
    environment: proxies.session,
    hooks: proxies.hooks,
    json: {
      // Most servers have no REST proxies.
      resourceToJson: (resource) => {
        json ??= createRestMessageJson(withPatchMessages(protos), settings.pollMs);
        return json.resourceToJson(resource);
      },
    },
  });
}
