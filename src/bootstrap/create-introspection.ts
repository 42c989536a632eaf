import type { Clock } from '../base/clock.js';
import { createHttpApp } from '../introspection/http-app.js';
import { createHttpServer } from '../introspection/http-server.js';
import type { Page } from '../introspection/page.js';
import { createTopicPages } from '../introspection/topics/topic-pages.js';
import type { Views } from '../introspection/views.js';
import type { Site } from '../introspection/web/site.js';
import { formatListenAddress } from '../net/listen-address.js';
import type { Logging } from '../telemetry/logging.js';
import type { CommonFlags } from './options.js';
import type { ProcessParts } from './process-parts.js';
import { readProcessFacts } from './read-process-facts.js';
import { reportHttpRefusals } from './report-http-refusals.js';

export interface IntrospectionParts {
  readonly common: Pick<CommonFlags, 'introspectAddress' | 'introspectPort'>;
  readonly process: Pick<ProcessParts, 'registry' | 'metrics' | 'build'>;
  readonly views: Views;
  /** The pages of the program, with links to the topics of the facility. */
  readonly site: Site;
  pages(site: Site): readonly Page[];
  readonly logging: Logging;
  readonly clock: Clock;
}

/** The listener of the introspection facility (--introspect_address, --introspect_port). */
export interface Introspection {
  /** Opens the listener. A listener that cannot be opened is logged: the process serves without it. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Reading a request and writing a response take at most this long. */
const TIMEOUT_MS = 10_000;

export function createIntrospection(parts: IntrospectionParts): Introspection {
  const { common, process, views, logging, clock } = parts;
  const { metrics, registry, build } = process;
  const logger = logging.scope('default');
  const setting = '--introspect_address';
  const facts = readProcessFacts({ logging, registry, build, clock });
  const site = { ...parts.site, links: [...parts.site.links, { path: '/', label: 'Process' }] };
  const app = createHttpApp({
    views,
    pages: [...createTopicPages(site, facts), ...parts.pages(site)],
    logger,
    clock,
    access: { ownNames: [common.introspectAddress.toLowerCase()] },
  });
  const server = createHttpServer({
    setting,
    address: { host: hostOf(common.introspectAddress), port: common.introspectPort },
    app,
    onStop: app.endStreams,
    logger,
    clock,
    timeouts: { headersMs: TIMEOUT_MS, requestMs: TIMEOUT_MS, idleMs: TIMEOUT_MS },
    onRefused: reportHttpRefusals(setting, metrics, logger, clock),
  });
  return {
    start: async () => {
      facts.start();
      try {
        const address = await server.start();
        logger.info({ address: formatListenAddress(address) }, 'introspection facility is ready');
      } catch (err) {
        logger.warn({ err, setting }, 'introspection facility could not be opened; the process serves without it');
      }
    },
    stop: async () => {
      facts.stop();
      await server.stop();
    },
  };
}

/** `*` means all addresses. Other machines get 403 for everything but /ready, /metrics and /version. */
function hostOf(address: string): string {
  if (address === '*') return '';
  // Where localhost means ::1 first, http://127.0.0.1 would not reach it.
  return address === 'localhost' ? '127.0.0.1' : address;
}
