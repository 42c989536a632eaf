import type { ServerResponse } from 'node:http';
import type { Clock } from '../../base/clock.js';
import type { Logger } from '../../telemetry/logger.js';
import { html } from '../html.js';
import { FAILED_PAGE, HttpProblem } from '../http-problem.js';
import type { Page, PageRequest } from '../page.js';
import type { Views } from '../views.js';

/** Keeps open pages up to date by server-sent events. */
export interface LivePages {
  /** `/debug/live?page=<path and query of the page>` */
  readonly page: Page;
  /** Ends all streams, so that a shutdown does not wait for them. */
  stop(): void;
}

export interface LivePagesParts {
  readonly pages: readonly Page[];
  readonly views: Views;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Open streams of all readers. */
const MAX_STREAMS = 64;
const PERIOD_MS = 2_000;
/** All pages together are rendered at most for this part of the time: those of a large mesh are updated less often. */
const RENDER_PART = 1 / 50;
/** A page that waited for another instance took no time of this one. */
const MAX_REST_MS = 30_000;
/** The introspection listener closes a connection without a byte for 10 s, the others one for NAV_HTTP_IDLE_TIMEOUT. */
const PING_MS = 5_000;
/** A reader that leaves more unread is disconnected. */
const MAX_UNREAD_BYTES = 4 * 1024 * 1024;
const MAX_URL_CHARACTERS = 4_096;

/** One page that readers have open. All its readers share one rendering. */
interface Feed {
  readonly readers: Set<ServerResponse>;
  /** The newest event; empty before the first. */
  event: string;
  sentMs: number;
  cancel(): void;
}

export function createLivePages({ pages, views, clock, logger }: LivePagesParts): LivePages {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const pageOf = (path: string): Page | undefined => byPath.get(path.toLowerCase().replace(/(?<=.)\/$/, ''));
  const feeds = new Map<string, Feed>();
  let streams = 0;
  let isStopped = false;

  const write = (feed: Feed, text: string): void => {
    feed.sentMs = clock.monotonicMs();
    for (const reader of feed.readers) {
      if (reader.writableLength > MAX_UNREAD_BYTES) reader.destroy();
      else reader.write(text);
    }
  };

  /** Pages are rendered one at a time, and none before this time. */
  let restUntilMs = Number.NEGATIVE_INFINITY;
  let isRendering = false;

  const updateIn = (delayMs: number, url: string, feed: Feed): void => {
    feed.cancel = clock.schedule(delayMs, () => void update(url, feed));
  };
  const ping = (feed: Feed, nowMs: number): void => {
    if (nowMs - feed.sentMs >= PING_MS) write(feed, ':\n\n');
  };
  const update = async (url: string, feed: Feed): Promise<void> => {
    const startMs = clock.monotonicMs();
    if (isRendering || startMs < restUntilMs) {
      ping(feed, startMs);
      updateIn(isRendering ? PERIOD_MS : Math.min(restUntilMs - startMs, PING_MS), url, feed);
      return;
    }
    isRendering = true;
    const event = eventOf(await contentOf(url));
    isRendering = false;
    const nowMs = clock.monotonicMs();
    restUntilMs = nowMs + Math.min((nowMs - startMs) / RENDER_PART, MAX_REST_MS);
    // The streams of a stopped server have ended.
    if (isStopped || feed.readers.size === 0) return;
    if (event !== feed.event) write(feed, event);
    else ping(feed, nowMs);
    feed.event = event;
    updateIn(PERIOD_MS, url, feed);
  };

  const contentOf = async (url: string): Promise<string> => {
    const { pathname, searchParams: query } = new URL(url, 'http://localhost');
    const request: PageRequest = { query, safe: true, now: clock.now(), wantsJson: false };
    try {
      return (await pageOf(pathname)?.liveContent?.(views, request))?.markup ?? '';
    } catch (err) {
      if (err instanceof HttpProblem) return html`<p class="empty">${err.message}</p>`.markup;
      logger.error({ err, path: pathname }, 'live page could not be rendered');
      return html`<p class="empty">${FAILED_PAGE}</p>`.markup;
    }
  };

  const begin = (url: string): Feed => {
    const feed: Feed = { readers: new Set(), event: '', sentMs: clock.monotonicMs(), cancel: () => undefined };
    feeds.set(url, feed);
    updateIn(PERIOD_MS, url, feed);
    return feed;
  };

  const open = (url: string, response: ServerResponse): void => {
    if (isStopped) {
      response.end();
      return;
    }
    response.setHeader('Content-Type', 'text/event-stream; charset=utf-8');
    response.write('retry: 3000\n\n');
    streams++;
    const feed = feeds.get(url) ?? begin(url);
    if (feed.event !== '') response.write(feed.event);
    feed.readers.add(response);
    response.once('close', () => {
      streams--;
      feed.readers.delete(response);
      if (feed.readers.size > 0) return;
      feed.cancel();
      if (feeds.get(url) === feed) feeds.delete(url);
    });
  };

  return {
    page: {
      path: '/debug/live',
      description: 'Events that keep an open page up to date',
      audience: 'operator',
      handle: (_views, { query, safe }) => {
        const url = query.get('page') ?? '';
        if (url.length > MAX_URL_CHARACTERS || !URL.canParse(url, 'http://localhost')) {
          throw new HttpProblem(400, 'page is not the path of a page');
        }
        if (pageOf(new URL(url, 'http://localhost').pathname)?.liveContent === undefined) {
          throw new HttpProblem(404, 'The page does not exist, or does not update itself.');
        }
        if (streams >= MAX_STREAMS) {
          throw new HttpProblem(503, `This server updates at most ${MAX_STREAMS} open pages. Close some.`);
        }
        if (safe) return { type: 'empty', status: 200 };
        return { type: 'events', open: (response) => open(url, response) };
      },
    },
    stop: () => {
      isStopped = true;
      for (const { readers, cancel } of feeds.values()) {
        cancel();
        for (const reader of readers) reader.end();
      }
    },
  };
}

/** A line break would end the field of an event. */
function eventOf(markup: string): string {
  return `event: page\n${markup
    .split(/\r\n|\r|\n/)
    .map((line) => `data: ${line}\n`)
    .join('')}\n`;
}
