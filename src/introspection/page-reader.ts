import type { Clock } from '../base/clock.js';
import type { Logger } from '../telemetry/logger.js';
import { FAILED_PAGE, HttpProblem } from './http-problem.js';
import type { PageForm, ReadPage, RenderedPage } from './instances.js';
import { jsonPieces } from './json-source.js';
import { chunkPieces } from './json-stream.js';
import type { Page, PageRequest } from './page.js';
import { createRenderTurns } from './render-turns.js';
import type { Views } from './views.js';

export interface PageReaderParts {
  /** The pages that other instances may read. */
  readonly pages: readonly Page[];
  readonly views: Views;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Renders pages for other instances, as many at the same time as for people. A change is made at this one alone. */
export function createPageReader({ pages, views, clock, logger }: PageReaderParts): ReadPage {
  const byPath = new Map(pages.map((page) => [page.path, page]));
  const turns = createRenderTurns();
  // Only what this instance itself has: the asking one asks all others too.
  const { instances: _, ...own } = views;

  const render = async (page: Page, request: PageRequest, form: PageForm): Promise<RenderedPage> => {
    if (form === 'html') return { status: 200, content: (await page.liveContent?.(own, request))?.markup ?? '' };
    const reply = await page.handle(own, request);
    if (reply.type !== 'json') throw new HttpProblem(406, `${page.path} has no JSON.`);
    let content = '';
    for await (const chunk of chunkPieces(jsonPieces(reply.body), clock, turns)) content += chunk;
    return { status: 200, content };
  };

  const change = async (page: Page, body: string): Promise<RenderedPage> => {
    if (page.change === undefined) throw new HttpProblem(405, `${page.path} changes nothing.`);
    await page.change.handle(own, { now: clock.now(), body });
    return { status: 200, content: '' };
  };

  return async ({ path, form, body = '' }) => {
    const { pathname, searchParams: query } = new URL(path, 'http://localhost');
    const close = turns.open();
    try {
      const page = byPath.get(pathname);
      if (page === undefined)
        throw new HttpProblem(404, `Instances do not read ${pathname.slice(0, 100)} of one another.`);
      if (close === undefined) throw new HttpProblem(503, 'The instance renders too many pages at the same time.');
      await turns.next();
      if (form === 'change') return await change(page, body);
      return await render(page, { query, safe: false, now: clock.now(), wantsJson: form === 'json' }, form);
    } catch (error) {
      if (error instanceof HttpProblem) return { status: error.status, content: error.message };
      logger.error({ err: error, path: pathname }, 'page for another instance failed');
      return { status: 500, content: FAILED_PAGE };
    } finally {
      close?.();
    }
  };
}
