import { type ObjectKey, objectKey } from '../../config/object.js';
import { checkServerOf } from '../../model/policy/policy-servers.js';
import { type Html, html } from '../html.js';
import { listOf, recordOf } from '../json-source.js';
import type { Page } from '../page.js';
import type { Views } from '../views.js';
import { renderSilent } from './other-instances.js';
import { count, objectLink, renderBadge } from './pieces.js';
import { RESET_QUOTA } from './reset-quota.js';
import {
  readSharedUse,
  type ServerUse,
  type SharedKey,
  type SharedQuota,
  type SharedUse,
  usedOf,
} from './shared-quotas.js';
import type { Site } from './site.js';
import { renderTable } from './table.js';
import { createWebPage } from './web-page.js';
import { windowText } from './window-text.js';

interface Model {
  readonly use: SharedUse;
  /** The policy server that proxies ask, if it is not that of this process. */
  readonly elsewhere: string | undefined;
  /** The Plan and the limit of it that a quota is; undefined for other quotas, and without the objects of the mesh. */
  planLimitOf(quota: string): PlanLimit | undefined;
}

interface PlanLimit {
  readonly plan: ObjectKey;
  readonly limit: string;
}

const PATH = '/debug/quotas';

/** The live use of each quota by key, at all servers that can be asked, with buttons that set a counter to zero. */
export function quotasPage(site: Site): Page {
  const page = createWebPage<Model>(site, {
    path: PATH,
    title: 'Quotas',
    description: 'The live use of each quota by key; a counter can be set to zero',
    model: async (views) => ({
      use: await readSharedUse(views),
      elsewhere: remoteServerOf(views),
      planLimitOf: (quota) => planLimitOf(views, quota),
    }),
    render: renderQuotas,
    json: ({ use: { storage, quotas, others, silent }, elsewhere }) =>
      recordOf({
        ...{ storage, elsewhere, otherServers: others, silentServers: silent },
        quotas: listOf(quotas, ({ keys, ...quota }) =>
          recordOf({ ...quota, keys: keys.map((key) => ({ ...key, used: usedOf(key) })) }),
        ),
      }),
  });
  return { ...page, change: RESET_QUOTA };
}

function remoteServerOf(views: Views): string | undefined {
  const context = views.context();
  const server = context?.mesh.policy === undefined ? undefined : checkServerOf(context.mesh);
  return server?.type === 'address' ? `${server.host}:${server.port}` : undefined;
}

/** Limits of plans are named `<namespace>/<name of the plan> <name of the limit>`. */
function planLimitOf(views: Views, quota: string): PlanLimit | undefined {
  const [, namespace, name, limit] = /^([^/ ]+)\/([^/ ]+) ([^ ]+)$/.exec(quota) ?? [];
  if (namespace === undefined || name === undefined || limit === undefined) return undefined;
  const plan = objectKey('Plan', namespace, name);
  return views.context()?.objects.get('Plan')?.has(plan) === true ? { plan, limit } : undefined;
}

function renderQuotas({ use, elsewhere, planLimitOf: planOf }: Model): Html {
  return html`<div class="lead"><h1>Quotas</h1></div>
${elsewhere === undefined ? '' : html`<p class="note">Proxies ask the policy server <bdi>${elsewhere}</bdi> (mixerCheckServer of the mesh config), not the one in the control plane.</p>`}
${renderSilent(use.silent, 'counters')}
${renderSources(use)}
${use.quotas.map((quota) => renderQuota(quota, planOf(quota.quota), use.others.length > 0))}`;
}

/** Says whose counters are shown. */
function renderSources({ storage, quotas, others, silent }: SharedUse): Html {
  const named = html`${others.map((name, index) => html`${index === 0 ? '' : ', '}<bdi>${name}</bdi>`)}`;
  const all = others.length === 0 ? '' : html` The page shows this server and ${named}. Reset holds for all of them.`;
  if (storage === undefined && others.length === 0) {
    return html`<p class="empty">No quota is counted here: another server decides (backend of the policy server's configuration).</p>`;
  }
  if (quotas.length === 0) {
    return silent.length > 0
      ? html``
      : html`<p class="empty">No quota has a limit. Limits are in the file of --policyConfig.${all}</p>`;
  }
  if (storage === 'redis') {
    return html`<p class="note">Counted in Redis, for all servers together. The keys are those that the servers have charged lately.${all}</p>`;
  }
  return others.length === 0
    ? html`<p class="note">Counted in the memory of this server. Servers with counters in memory each admit the whole limit.</p>`
    : html`<p class="note">Servers with counters in memory each admit the whole limit.${all}</p>`;
}

function renderQuota(quota: SharedQuota, ofPlan: PlanLimit | undefined, areMany: boolean): Html {
  const { maxAmount, keys, counters } = quota;
  const name = ofPlan === undefined ? quota.quota : html`${objectLink(ofPlan.plan)} ${ofPlan.limit}`;
  const rest = (counters ?? 0) - keys.length;
  return html`<h2><bdi>${name}</bdi> <small>${maxAmount.toLocaleString('en')} in ${windowText(quota)}${counters === undefined ? '' : `, ${count(counters, 'key')} in use`}</small></h2>
${keys.length === 0 ? html`<p class="empty">No request has charged it within the last window. The page Policy of the discovery server shows which quotas a request charges.</p>` : renderKeys(quota.quota, keys, areMany)}
${rest > 0 ? html`<p class="pager">${rest.toLocaleString('en')} keys with smaller amounts are not shown.</p>` : ''}`;
}

function renderKeys(quota: string, keys: readonly SharedKey[], areMany: boolean): Html {
  return renderTable<SharedKey>(
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
        cell: ({ servers }) =>
          html`${servers.map((each) => html`<div>${renderUsed(each)}${areMany ? html` <small><bdi>${each.server}</bdi></small>` : ''}</div>`)}`,
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

function renderUsed({ used, maxAmount, held }: ServerUse): Html {
  const text = `${used.toLocaleString('en')} of ${maxAmount.toLocaleString('en')}`;
  const badge = renderBadge(text, used >= maxAmount ? 'bad' : used * 5 >= maxAmount * 4 ? 'busy' : 'good');
  if (held === undefined) return badge;
  return html`${badge} <small>fast, ${held.toLocaleString('en')} held by proxies</small>`;
}
