import { errorText } from '../../base/error-text.js';
import { checkServerOf } from '../../model/policy/policy-servers.js';
import type { KeyUse, QuotaUse } from '../../policy/quota/quota-use.js';
import { type Html, html } from '../html.js';
import { HttpProblem } from '../http-problem.js';
import { listOf, recordOf } from '../json-source.js';
import type { Page, PageChange } from '../page.js';
import type { QuotaCounters } from '../quota-counters.js';
import type { Views } from '../views.js';
import { count, renderBadge } from './pieces.js';
import type { Site } from './site.js';
import { renderTable } from './table.js';
import { createWebPage } from './web-page.js';

interface Model {
  readonly storage: QuotaCounters['storage'] | undefined;
  readonly uses: readonly QuotaUse[];
  /** Why the use is not known. */
  readonly problem: string | undefined;
  /** The policy server that proxies ask, if it is not that of this process. */
  readonly elsewhere: string | undefined;
}

const PATH = '/debug/quotas';

/** The live use of each quota by key, with buttons that set a counter to zero. */
export function quotasPage(site: Site): Page {
  const page = createWebPage<Model>(site, {
    path: PATH,
    title: 'Quotas',
    description: 'The live use of each quota by key; a counter can be set to zero',
    model: async (views) => {
      const elsewhere = remoteServerOf(views);
      const counters = views.quotas?.();
      if (counters === undefined) return { storage: undefined, uses: [], problem: undefined, elsewhere };
      try {
        return { storage: counters.storage, uses: await counters.use(), problem: undefined, elsewhere };
      } catch (error) {
        return { storage: counters.storage, uses: [], problem: errorText(error), elsewhere };
      }
    },
    render: renderQuotas,
    json: ({ uses, ...model }) => recordOf({ ...model, quotas: listOf(uses, (use) => use) }),
  });
  return { ...page, change: RESET };
}

/** Only callers that may see the page reach it, and no page of another origin. */
const RESET: PageChange = {
  methods: ['POST'],
  handle: async (views, { body }) => {
    const counter = new URLSearchParams(body).get('counter') ?? '';
    const slash = counter.indexOf('/');
    const isReset = await views.quotas?.()?.reset(counter.slice(slash + 1), counter.slice(0, slash));
    if (isReset === true) return { type: 'redirect', location: PATH };
    throw new HttpProblem(
      404,
      `The counter is not listed any more: it counts nothing, or others count more. See ${PATH}.`,
    );
  },
};

function remoteServerOf(views: Views): string | undefined {
  const context = views.context();
  const server = context?.mesh.policy === undefined ? undefined : checkServerOf(context.mesh);
  return server?.type === 'address' ? `${server.host}:${server.port}` : undefined;
}

function renderQuotas({ storage, uses, problem, elsewhere }: Model): Html {
  return html`<div class="lead"><h1>Quotas</h1></div>
${elsewhere === undefined ? '' : html`<p class="note">Proxies ask the policy server <bdi>${elsewhere}</bdi> (mixerCheckServer of the mesh config). Its own page ${PATH}, on its monitoring port, shows what it counts; this page shows the counters of this process.</p>`}
${problem === undefined ? '' : html`<p class="reason"><bdi>${problem}</bdi></p>`}
${renderStorage(storage, uses.length)}
${uses.map(renderQuota)}`;
}

function renderStorage(storage: Model['storage'], quotas: number): Html {
  if (storage === undefined) {
    return html`<p class="empty">No quota is counted here: another server decides (backend of the policy server's configuration).</p>`;
  }
  if (quotas === 0) return html`<p class="empty">No quota has a limit. Limits are in the file of --policyConfig.</p>`;
  return storage === 'memory'
    ? html`<p class="note">Counted in the memory of this instance. Other instances count separately, on pages of their own.</p>`
    : html`<p class="note">Counted in Redis, for all servers together. The keys are those that this instance has charged lately.</p>`;
}

function renderQuota({ quota, maxAmount, validDurationMs, window, keys, counters }: QuotaUse): Html {
  const rest = (counters ?? 0) - keys.length;
  return html`<h2><bdi>${quota}</bdi> <small>${maxAmount.toLocaleString('en')} in ${validDurationMs / 1000} s, ${window} window${counters === undefined ? '' : `, ${count(counters, 'key')} in use`}</small></h2>
${keys.length === 0 ? html`<p class="empty">No request has charged it within the last window. The page Policy of the discovery server shows which quotas a request charges.</p>` : renderKeys(quota, keys)}
${rest > 0 ? html`<p class="pager">${rest.toLocaleString('en')} keys with smaller amounts are not shown.</p>` : ''}`;
}

function renderKeys(quota: string, keys: readonly KeyUse[]): Html {
  return renderTable<KeyUse>(
    [
      {
        head: 'Key',
        cell: ({ values }) => {
          const texts = Object.entries(values).map(([name, value]) => `${name} ${value === '' ? '(none)' : value}`);
          return html`<bdi>${texts.join(', ') || 'all requests'}</bdi>`;
        },
      },
      {
        head: 'Used',
        cell: ({ used, maxAmount }) => {
          const text = `${used.toLocaleString('en')} of ${maxAmount.toLocaleString('en')}`;
          return renderBadge(text, used >= maxAmount ? 'bad' : used * 5 >= maxAmount * 4 ? 'busy' : 'good');
        },
      },
      {
        head: 'Change',
        // The value is that of a button: the script keeps the values of fields when it updates the page.
        cell: ({ id }) =>
          html`<form action="${PATH}" method="post"><button name="counter" value="${id}/${quota}">Reset</button></form>`,
      },
    ],
    keys,
  );
}
