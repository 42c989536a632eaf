import { type Html, html } from '../html.js';
import { listOf, recordOf } from '../json-source.js';
import type { Page, PageParameter } from '../page.js';
import type { Readiness } from '../ready.js';
import type { ConfigProblem } from '../views.js';
import { renderSilent } from './other-instances.js';
import { isError, type OverviewModel, overviewModel } from './overview.js';
import { objectLink, proxyLink, renderBadge, renderCard, renderSince, renderState, type Tone } from './pieces.js';
import type { ProxyRow } from './proxy-row.js';
import { renderPushCharts } from './push-charts.js';
import type { Site } from './site.js';
import { renderTable } from './table.js';
import { createWebPage } from './web-page.js';

/**
 * Makes the first page: a summary of the state, then all pages with their parameters.
 *
 * @param pages the pages that it lists
 */
export function createOverview(site: Site, pages: readonly Page[]): Page {
  return createWebPage<OverviewModel>(site, {
    path: '/debug',
    title: site.title,
    description: 'This page: the state of the mesh, and all pages',
    model: (views, { now }) => overviewModel(site.title, views, pages, now),
    render: renderOverview,
    json: (model) =>
      recordOf({
        ready: model.readiness.ready,
        reason: model.readiness.ready ? undefined : model.readiness.reason,
        snapshot: model.snapshotVersion,
        services: model.services,
        proxies: { connected: model.proxies, current: model.current, rejected: model.rejected },
        silentInstances: model.silent,
        problems: { all: model.problems, errors: model.errors },
        minutes: model.activity && listOf(model.activity.minutes(), (minute) => minute),
      }),
  });
}

function renderOverview(model: OverviewModel): Html {
  return html`<div class="lead"><h1>${model.title}</h1>${renderReadiness(model.readiness)}<span class="quiet">${model.snapshotVersion ?? 'no configuration yet'}</span></div>
${renderSummary(model)}
${renderSilent(model.silent)}
${model.activity === undefined ? '' : renderPushCharts(model.activity)}
${renderProblems(model)}
<section>
<h2>Proxies${model.proxies > model.ownProxies ? html` <small>of this instance; <a href="/debug/proxies">all ${model.proxies}</a></small>` : ''}</h2>
${renderProxies(model)}
</section>
<section id="endpoints">
<h2>Pages</h2>
<table class="rows pages">
<thead><tr><th scope="col">Endpoint</th><th scope="col">Description</th></tr></thead>
<tbody>${model.pages.map(renderPage)}</tbody>
</table>
</section>
<datalist id="proxies">${model.rows.map(({ connection }) => html`<option value="${connection.id}"></option>`)}</datalist>
<datalist id="resources">${model.resources.map((key) => html`<option value="${key}"></option>`)}</datalist>`;
}

function renderReadiness(readiness: Readiness): Html {
  if (readiness.ready) return renderBadge('Ready', 'good');
  return html`${renderBadge('Not ready', 'bad')}<p class="reason"><bdi>${readiness.reason}</bdi></p>`;
}

function renderSummary(model: OverviewModel): Html {
  const { proxies, current, rejected, problems } = model;
  const [services, all, notCurrent, rejecting] = isDiscovery(model)
    ? ['/debug/services', '/debug/proxies', '/debug/proxies?state=waiting', '/debug/proxies?state=rejected']
    : Array.from({ length: 4 }, () => '/debug/config_problems');
  return html`<ul class="cards">
${renderCard('Services', model.services ?? '–', services ?? '')}
${renderCard('Proxies connected', proxies, all ?? '')}
${renderCard('Up to date', proxies === 0 ? '–' : `${current} of ${proxies}`, notCurrent ?? '', current < proxies ? 'busy' : '')}
${renderCard('Proxies with rejections', rejected, rejecting ?? '', rejected > 0 ? 'bad' : '')}
${renderCard('Configuration problems', problems, '/debug/config_problems', problemTone(model))}
</ul>`;
}

/** Other programs than the discovery server have no pages about proxies. */
function isDiscovery({ pages }: OverviewModel): boolean {
  return pages.some(({ path }) => path === '/debug/proxies');
}

function problemTone({ problems, errors }: OverviewModel): Tone {
  if (errors > 0) return 'bad';
  return problems > 0 ? 'busy' : '';
}

function renderProblems({ firstProblems, problems }: OverviewModel): Html {
  if (problems === 0) return html``;
  const rest = problems - firstProblems.length;
  return html`<section><h2>Problems</h2>${renderTable<ConfigProblem>(
    [
      {
        head: 'Object',
        cell: ({ object, file, line }: ConfigProblem & { readonly line?: number }) =>
          object === undefined ? `${file ?? ''}${line === undefined ? '' : `:${line}`}` : objectLink(object),
      },
      {
        head: 'Level',
        cell: (problem) => renderBadge(problem.level ?? 'Rejected', isError(problem) ? 'bad' : 'busy'),
      },
      { head: 'Problem', cell: ({ reason, code }) => (code === undefined ? reason : `${code}: ${reason}`) },
    ],
    firstProblems,
  )}${rest > 0 ? html`<p class="pager"><a href="/debug/config_problems">${rest} more</a></p>` : ''}</section>`;
}

function renderProxies({ rows, ownProxies, now }: OverviewModel): Html {
  if (rows.length === 0) {
    return html`<p class="empty">No proxy is connected. A proxy appears here when it opens a stream.</p>`;
  }
  const rest = ownProxies - rows.length;
  return html`${renderTable<ProxyRow>(
    [
      {
        head: 'Proxy',
        cell: ({ connection: { id, proxy } }) =>
          html`${proxyLink(id, proxy.name)} <bdi class="quiet">${proxy.configNamespace}</bdi><br><bdi class="id">${id}</bdi>`,
      },
      {
        head: 'State',
        cell: ({ state }) =>
          html`${renderState(state)}${state.type === 'rejected' ? state.rejections.map((text) => html`<p class="reason"><bdi>${text}</bdi></p>`) : ''}`,
      },
      { head: 'Connected', cell: ({ connection }) => renderSince(connection.connectedAt, now) },
      {
        head: 'Details',
        cell: ({ connection: { id } }) => {
          const query = new URLSearchParams({ proxyID: id }).toString();
          return html`<span class="links"><a href="/debug/config_dump?${query}">config_dump</a> <a href="/debug/edsz?${query}">edsz</a></span>`;
        },
      },
    ],
    rows,
  )}${rest > 0 ? html`<p class="pager">${rest} more proxies: <a href="/debug/proxies">/debug/proxies</a></p>` : ''}`;
}

function renderPage({ path, description, parameters = [], liveContent }: Page): Html {
  const direct = !parameters.some(({ required }) => required);
  // Pages for people have filters of their own.
  const hasForm = parameters.length > 0 && !(direct && liveContent !== undefined);
  return html`<tr>
<th scope="row">${direct ? html`<a href="${path}"><code>${path}</code></a>` : html`<code>${path}</code>`}</th>
<td><div>${description}${hasForm ? renderForm(path, parameters, direct) : ''}</div></td>
</tr>`;
}

function renderForm(path: string, parameters: readonly PageParameter[], direct: boolean): Html {
  const fields = parameters.map((parameter) => renderParameter(parameter, direct));
  return html`<form action="${path}" method="get">${fields}${direct ? '' : html`<button>Open</button>`}</form>`;
}

function renderParameter({ name, required, choice }: PageParameter, direct: boolean): Html {
  if (choice.type === 'value') {
    if (direct) return html`<button name="${name}" value="${choice.value}">${name}=${choice.value}</button>`;
    return html`<label><input type="checkbox" name="${name}" value="${choice.value}"> ${name}</label>`;
  }
  const list = { proxy: 'proxies', resource: 'resources', text: '' }[choice.type];
  const hint = required ? name : `${name} (optional)`;
  return html`<input name="${name}" list="${list}" placeholder="${hint}" aria-label="${hint}" autocomplete="off"${required ? html` required` : ''}>`;
}
