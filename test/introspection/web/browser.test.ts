import { execFileSync } from 'node:child_process';
import test from 'ava';
import { type Browser, chromium, type Page } from 'playwright-core';
import { Registry } from 'prom-client';
import { systemClock } from '../../../src/base/clock.js';
import { readProcessFacts } from '../../../src/bootstrap/read-process-facts.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { createPages, DISCOVERY_SITE } from '../../../src/introspection/page-table.js';
import { createTopicPages } from '../../../src/introspection/topics/topic-pages.js';
import type { ConfigProblem } from '../../../src/introspection/views.js';
import type { ProxyConnection } from '../../../src/model/proxy-connection.js';
import { createPushActivityLog } from '../../../src/push/push-activity-log.js';
import { createLogging } from '../../../src/telemetry/logging.js';
import { requireChromium } from '../../counterparts/chromium.js';
import { loggingOptions } from '../../telemetry/logging-options.js';
import { connection, context, endpoint, meshObject, service, watch } from '../fixtures/mesh.js';
import { serve } from '../fixtures/serve.js';

const program = requireChromium();
const browserTest = 'value' in program ? test.serial : test.skip;

/** What other tenants choose: names, node ids, rejections. Each would run if a page did not escape it. */
const HOSTILE = `"><img src=x onerror="window.hacked=1"><script>window.hacked=1</script>`;
const LONG = 'a-very-long-name-without-any-place-to-break-it'.repeat(6);
const HOST = `web${HOSTILE}.example.com`;
const WIDTHS = [390, 768, 1600];
const PATIENCE_MS = 60_000;
/** Code for the browser is text: the types of its globals are not those of Node. */
const IS_HACKED = `'hacked' in window || document.images.length > 0`;

let browser: Browser | undefined;
test.before(async () => {
  if (!('value' in program)) return;
  const executablePath = execFileSync('sh', ['-c', `command -v ${program.value}`], { encoding: 'utf8' }).trim();
  // Root has no sandbox, and the pages are those of the test.
  browser = await chromium.launch({
    executablePath,
    args: ['--no-sandbox', '--disable-gpu', '--disable-dev-shm-usage'],
    timeout: PATIENCE_MS,
  });
});
test.after.always(() => browser?.close());

function proxy(index: number, message?: string): ProxyConnection {
  const id = `sidecar~10.0.0.${index}~${HOSTILE}-${index}.shop~shop.svc.cluster.local`;
  const rejection = message === undefined ? {} : { rejection: { code: 'INTERNAL', message, nonce: 'n2' } };
  return connection({
    id: `${id}-${index}`,
    proxy: { id, name: `${HOSTILE}-${index}`, configNamespace: LONG },
    watches: [
      watch(TypeUrl.cluster, { sentNonce: 'n1', ackedNonce: 'n1' }),
      watch(TypeUrl.listener, { sentNonce: 'n2', ackedNonce: 'n1', ...rejection }),
    ],
  });
}

/** A mesh of hostile and long names, which the test changes. */
async function openMesh(t: Parameters<typeof serve>[0]) {
  const connections = [proxy(1, `${HOSTILE} ${LONG}`), proxy(2)];
  const problems: ConfigProblem[] = [{ object: `ServiceEntry/shop/${HOSTILE}`, reason: `${HOSTILE} ${LONG}` }];
  const activity = createPushActivityLog(systemClock);
  activity.begun({
    request: {
      full: true,
      changed: new Set([`ServiceEntry/shop/${HOSTILE}`, `ServiceEntry/shop/${LONG}`]),
      endpoints: new Set([HOST]),
      addresses: new Set(),
      reasons: ['config'],
      startMs: systemClock.monotonicMs(),
    },
    version: 'v1',
    proxies: 2,
    begunMs: 0,
    builtMs: 0,
  });
  const mesh = context({
    services: [service({ hostname: HOST }), service({ hostname: LONG, name: LONG })],
    endpoints: [
      {
        hostname: HOST,
        namespace: 'default',
        shards: new Map([
          ['a', [endpoint({ workloadName: HOSTILE, serviceAccount: 'spiffe://cluster.local/ns/shop/sa/web' })]],
        ]),
        serviceAccounts: [],
      },
    ],
    objects: [meshObject('ServiceEntry', HOSTILE), meshObject('ServiceEntry', LONG)],
  });
  const logging = createLogging(loggingOptions({ logAsJson: false }), { now: systemClock.now, sinks: [] });
  const build = { version: '1.2.3', revision: 'abc', runtime: 'node', status: 'Clean', tag: HOSTILE };
  const facts = readProcessFacts({ logging, registry: new Registry(), build, clock: systemClock });
  const site = { ...DISCOVERY_SITE, links: [...DISCOVERY_SITE.links, { path: '/', label: 'Process' }] };
  const { port } = await serve(t, {
    pages: [...createTopicPages(site, { ...facts, arguments: () => [HOSTILE, LONG] }), ...createPages(site)],
    views: {
      connections: () => connections,
      context: () => mesh,
      problems: () => problems,
      activity,
      quotas: () => ({
        storage: 'memory',
        use: async () => [
          {
            ...{ quota: HOSTILE, maxAmount: 10, validDurationMs: 1000, window: 'fixed', counters: 1 },
            keys: [{ id: 'a', values: { [HOSTILE]: LONG }, used: 9, maxAmount: 10 }],
          },
        ],
        reset: async () => true,
      }),
      explainRequest: () => ({
        service: {
          hostname: HOST,
          endpoints: { healthy: 0, all: 1 },
          mutualTls: 'STRICT',
          plans: {
            plans: [`Plan/shop/${HOSTILE}`],
            verdict: 'admitted',
            plan: `Plan/shop/${HOSTILE}`,
            consumer: HOSTILE,
            limits: [{ name: LONG, requests: 10, per: 'minute', of: 'key' }],
          },
          authorization: {
            policies: [
              {
                object: `AuthorizationPolicy/shop/${HOSTILE}`,
                action: 'ALLOW',
                match: { type: 'open', needs: [`request.headers[${HOSTILE}]`] },
                rule: 1,
              },
            ],
          },
          operation: { 'api.operation': HOSTILE },
          apiSpecs: [`HTTPAPISpec/shop/${LONG}`],
          apiKey: HOSTILE,
          quotas: { charges: [{ quota: HOSTILE, charge: 1, object: `QuotaSpec/shop/${HOSTILE}` }] },
          rules: {
            matching: [
              {
                object: `rule/shop/${HOSTILE}`,
                open: HOSTILE,
                calls: [
                  {
                    handler: `handler/shop/${LONG}`,
                    instance: `instance/shop/${HOSTILE}`,
                    variety: 'check',
                    answer: { status: 403, message: `${HOSTILE} ${LONG}` },
                  },
                ],
                headers: [{ text: `sets the request header ${LONG} to ${HOSTILE}` }],
              },
            ],
            unmatched: [{ object: `rule/shop/${LONG}`, match: `${HOSTILE} ${LONG}` }],
          },
          missing: [],
          notGranted: [],
          attributes: { 'request.path': HOSTILE, 'request.headers': LONG },
        },
        answers: [{ status: 429, certainty: 'possible', because: HOSTILE, objects: [`QuotaSpec/shop/${LONG}`] }],
        dryRun: [{ status: 403, certainty: 'certain', because: `${HOSTILE} ${LONG}`, objects: [`rule/shop/${LONG}`] }],
      }),
      rejections: () => [
        {
          at: new Date(),
          connection: proxy(1).id,
          typeUrl: TypeUrl.listener,
          nonce: 'n2',
          code: 'INTERNAL',
          message: `${HOSTILE} ${LONG}`,
          causes: [`ServiceEntry/default/${HOSTILE}`],
        },
      ],
    },
  });
  return { base: `http://127.0.0.1:${port}`, connections, logging };
}

/** Opens a tab that records everything that goes wrong in it. */
async function openTab(): Promise<{ readonly tab: Page; readonly wrong: string[] }> {
  const tab = (await browser?.newPage()) as Page;
  tab.setDefaultTimeout(PATIENCE_MS);
  const wrong: string[] = [];
  tab.on('console', (message) => {
    if (message.type() === 'error') wrong.push(`${new URL(tab.url()).pathname}: ${message.text()}`);
  });
  tab.on('pageerror', ({ message }) => wrong.push(`${new URL(tab.url()).pathname}: ${message}`));
  tab.on('dialog', (dialog) => {
    wrong.push(dialog.message());
    void dialog.dismiss();
  });
  return { tab, wrong };
}

const query = (fields: Record<string, string>) => new URLSearchParams(fields).toString();
const PAGES = [
  '/debug',
  '/debug/proxies',
  `/debug/proxy?${query({ proxyID: proxy(1).id })}`,
  '/debug/services',
  `/debug/service?${query({ host: HOST })}`,
  '/debug/calls',
  '/debug/objects',
  `/debug/object?${query({ key: `ServiceEntry/default/${HOSTILE}` })}`,
  `/debug/policy?${query({ url: 'http://web/books', headers: `x-api-key: ${HOSTILE}`, from: HOSTILE })}`,
  '/debug/quotas',
  '/debug/pushes',
  '/',
  '/scopez/',
  '/memz/',
  '/envz/',
  '/procz/',
  '/argz/',
  '/versionz/',
  '/metricz/',
  '/signalz/',
];

browserTest(
  'Chromium shows every page on phones and wide screens, in light and dark, and runs no foreign script',
  async (t) => {
    t.timeout(300_000);
    const { base } = await openMesh(t);
    const { tab, wrong } = await openTab();
    for (const path of PAGES) {
      const response = await tab.goto(base + path);
      t.is(response?.status(), 200, path);
      const backgrounds = new Set<string>();
      for (const width of WIDTHS) {
        await tab.setViewportSize({ width, height: 900 });
        for (const colorScheme of ['light', 'dark'] as const) {
          await tab.emulateMedia({ colorScheme });
          const seen = await tab.evaluate<{ over: number; background: string; isHacked: boolean }>(`({
          over: document.documentElement.scrollWidth - window.innerWidth,
          background: getComputedStyle(document.body).backgroundColor,
          isHacked: ${IS_HACKED},
        })`);
          backgrounds.add(seen.background);
          t.true(seen.over <= 0, `${path} is ${seen.over} pixels too wide at ${width}`);
          t.false(seen.isHacked, path);
        }
      }
      t.is(backgrounds.size, 2, `${path} has another background in the dark`);
    }
    t.deepEqual(wrong, []);
    await tab.close();
  },
);

browserTest('a column of long texts leaves the words of the other columns unbroken on a wide screen', async (t) => {
  t.timeout(300_000);
  const { base } = await openMesh(t);
  const { tab } = await openTab();
  await tab.setViewportSize({ width: 1600, height: 900 });
  await tab.goto(`${base}/debug/objects`);
  const lines = `[...document.querySelectorAll('td[data-label=Kind] bdi')].map((kind) => kind.getClientRects().length)`;
  t.deepEqual([...new Set(await tab.evaluate<number[]>(lines))], [1]);
  await tab.close();
});

browserTest('a page updates itself without a reload, and keeps what is typed and where the focus is', async (t) => {
  t.timeout(300_000);
  const { base, connections } = await openMesh(t);
  const { tab, wrong } = await openTab();
  await tab.goto(`${base}/debug/proxies`);
  await tab.evaluate(`window.marker = 'same document'`);
  await tab.fill('input[name=q]', 'typed');
  connections.push(proxy(3), proxy(4));
  await tab.locator('main', { hasText: '4 connected' }).waitFor();
  connections.splice(1, 3);
  await tab.locator('main', { hasText: '1 connected' }).waitFor();
  const kept = await tab.evaluate(`({
    marker: window.marker,
    typed: document.querySelector('input[name=q]').value,
    focus: document.activeElement.getAttribute('name'),
    rows: document.querySelectorAll('table.rows')[0].querySelectorAll('tbody tr').length,
    isHacked: ${IS_HACKED},
  })`);
  t.deepEqual(kept, { marker: 'same document', typed: 'typed', focus: 'q', rows: 1, isHacked: false });
  t.deepEqual(wrong, []);
  await tab.close();
});

browserTest('the keyboard reaches every link and field in the order of the page, and opens them', async (t) => {
  t.timeout(300_000);
  const { base, logging } = await openMesh(t);
  const { tab } = await openTab();
  await tab.goto(`${base}/debug/proxies`);
  const focusable = `[...document.querySelectorAll('a[href], button, input, select, summary, [tabindex="0"]')]`;
  const all = await tab.evaluate<number>(`${focusable}.length`);
  const visited: number[] = [];
  for (let step = 0; step < all; step++) {
    await tab.keyboard.press('Tab');
    visited.push(await tab.evaluate<number>(`${focusable}.indexOf(document.activeElement)`));
  }
  t.deepEqual(
    visited,
    Array.from({ length: all }, (_, index) => index),
  );
  await tab.focus('nav a[href="/debug/services"]');
  await tab.keyboard.press('Enter');
  await tab.waitForURL('**/debug/services');
  await tab.goto(`${base}/scopez/`);
  await tab.selectOption('tr:has(input[value=ads]) select[name=output_level]', 'debug');
  await tab.focus('button[aria-label="Change ads"]');
  await tab.keyboard.press('Enter');
  const chosen = 'tr:has(input[value=ads]) select[name=output_level] option[selected]';
  await tab.locator(chosen, { hasText: 'debug' }).waitFor({ state: 'attached' });
  t.is(logging.scopes().get('ads')?.outputLevel, 'debug');
  await tab.close();
});
