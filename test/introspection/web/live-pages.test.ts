import type { ServerResponse } from 'node:http';
import { PassThrough } from 'node:stream';
import test from 'ava';
import { html } from '../../../src/introspection/html.js';
import type { Page } from '../../../src/introspection/page.js';
import type { Views } from '../../../src/introspection/views.js';
import { createLivePages } from '../../../src/introspection/web/live-pages.js';
import { createGate } from '../../dns/dns-rig.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

const VIEWS = {} as Views;

/** A stream with the part of a response that live pages use. */
function openReader() {
  const reader = new PassThrough();
  return Object.assign(reader, { setHeader: () => reader }) as unknown as ServerResponse & PassThrough;
}

async function open(page: Page, path: string, reader: ServerResponse): Promise<void> {
  const query = new URLSearchParams({ page: path });
  const reply = await page.handle(VIEWS, { query, safe: false, now: new Date(), wantsJson: false });
  if (reply.type === 'events') reply.open(reader);
}

function pageOf(content: () => Promise<void>): Page {
  return {
    path: '/page',
    description: '',
    audience: 'operator',
    handle: () => ({ type: 'empty', status: 200 }),
    liveContent: async () => {
      await content();
      return html`<p>content</p>`;
    },
  };
}

test('many open pages together are rendered for a small part of the time', async (t) => {
  const clock = createFakeClock();
  let renderings = 0;
  const slow = pageOf(async () => {
    renderings++;
    await Promise.resolve();
    clock.advance(200);
  });
  const live = createLivePages({ pages: [slow], views: VIEWS, clock, logger: createRecordingLogger() });
  for (let index = 0; index < 50; index++) await open(live.page, `/page?q=${index}`, openReader());
  for (let second = 0; second < 100; second++) {
    clock.advance(1000);
    await new Promise(setImmediate);
  }
  t.true(renderings >= 8 && renderings <= 14, `${renderings} renderings`);
  live.stop();
});

test('a stop while a page is rendered ends its stream without an error', async (t) => {
  const clock = createFakeClock();
  const rendering = createGate();
  const live = createLivePages({
    pages: [pageOf(() => rendering.released)],
    views: VIEWS,
    clock,
    logger: createRecordingLogger(),
  });
  const reader = openReader();
  const errors: Error[] = [];
  reader.on('error', (error) => errors.push(error));
  await open(live.page, '/page', reader);
  clock.advance(2000);
  live.stop();
  rendering.release();
  await new Promise(setImmediate);
  await new Promise(setImmediate);
  t.deepEqual(errors, []);
  t.is(clock.timers, 0);
});
