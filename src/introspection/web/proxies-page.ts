import { type Html, html } from '../html.js';
import { listOf, recordOf } from '../json-source.js';
import type { Page } from '../page.js';
import type { PastRejection } from '../past-rejection.js';
import { missingObjects, progressOf } from './behind.js';
import { contains, count, proxyLink, renderFilter, renderOptions, renderSince, renderState } from './pieces.js';
import { compareUrgency, type ProxyRow, proxyRows } from './proxy-row.js';
import { rejectionJson, renderRejections } from './rejections.js';
import type { Site } from './site.js';
import { type ListPart, partOf, renderPager, renderTable } from './table.js';
import { createWebPage } from './web-page.js';

interface Row extends ProxyRow {
  /** Objects that it lacks; undefined if that is not known. */
  readonly behind: number | undefined;
}

interface Model {
  readonly query: URLSearchParams;
  readonly now: Date;
  readonly part: ListPart<Row>;
  readonly connected: number;
  readonly rejections: readonly PastRejection[];
}

const PATH = '/debug/proxies';
const MAX_REJECTIONS = 10;
const STATES = [
  ['', 'any state'],
  ['current', 'up to date'],
  ['waiting', 'waiting'],
  ['rejected', 'rejected'],
] as const;

/** The proxies that are connected to this instance, with their state; those that reject come first. */
export function proxiesPage(site: Site): Page {
  return createWebPage<Model>(site, {
    path: PATH,
    title: 'Proxies',
    description: 'The connected proxies: which are up to date, which lag, which rejected, and why',
    parameters: [
      { name: 'q', required: false, choice: { type: 'text' } },
      { name: 'state', required: false, choice: { type: 'text' } },
      { name: 'page', required: false, choice: { type: 'text' } },
    ],
    model: async (views, { query, now }) => {
      const root = views.currentConfigVersion();
      const filter = query.get('q') ?? '';
      const state = query.get('state') ?? '';
      const connections = views.connections();
      const found = connections.filter(({ id, peer, proxy }) => contains(filter, id, peer, proxy.version));
      const all = await proxyRows(found, root);
      const rows = all.filter((row) => state === '' || row.state.type === state).toSorted(compareUrgency);
      const part = partOf(rows, query);
      const items = part.items.map((row) => ({
        ...row,
        behind: row.state.type === 'current' ? 0 : missingObjects(progressOf(row.connection, views))?.size,
      }));
      return {
        query,
        now,
        part: { ...part, items },
        connected: connections.length,
        rejections: (views.rejections?.() ?? []).slice(0, MAX_REJECTIONS),
      };
    },
    render: renderProxies,
    json: ({ part, connected, rejections }) =>
      recordOf({
        connected,
        matching: part.total,
        lastRejections: listOf(rejections, rejectionJson),
        proxies: listOf(part.items, ({ connection, state, behind }) => ({
          proxy: connection.proxy.id,
          connection: connection.id,
          peer: connection.peer,
          version: connection.proxy.version,
          connectedAt: connection.connectedAt,
          state: state.type,
          ...(state.type === 'rejected' ? { rejections: state.rejections } : {}),
          behind,
        })),
      }),
  });
}

function renderProxies({ query, now, part, connected, rejections }: Model): Html {
  const shown = part.total === connected ? '' : ` · ${part.total} match`;
  return html`<div class="lead"><h1>Proxies</h1><span class="quiet">${connected} connected${shown}</span></div>
<p class="note">This instance serves these proxies. Other replicas of the control plane show theirs on their own pages.</p>
${renderFilter(PATH, query, 'Name, namespace, address or version', renderOptions('state', 'State', STATES, query.get('state') ?? ''))}
${part.items.length === 0 ? html`<p class="empty">${connected === 0 ? 'No proxy is connected. A proxy appears here when it opens a stream.' : 'No proxy matches the filter.'}</p>` : renderRows(part.items, now)}
${renderPager(PATH, query, part)}
${rejections.length === 0 ? '' : html`<h2>Last rejections</h2>${renderRejections(rejections, now)}`}`;
}

function renderRows(rows: readonly Row[], now: Date): Html {
  return renderTable<Row>(
    [
      {
        head: 'Proxy',
        cell: ({ connection: { id, proxy } }) =>
          html`${proxyLink(id, proxy.name)} <bdi class="quiet">${proxy.configNamespace}</bdi><br><bdi class="id">${proxy.id}</bdi>`,
      },
      {
        head: 'State',
        cell: ({ state }) =>
          html`${renderState(state)}${state.type === 'rejected' ? state.rejections.map((text) => html`<p class="reason"><bdi>${text.slice(0, 300)}</bdi></p>`) : ''}`,
      },
      {
        head: 'Behind',
        cell: ({ behind, state }) =>
          behind === undefined
            ? 'not known'
            : state.type === 'current'
              ? html`<span class="quiet">–</span>`
              : count(behind, 'object'),
      },
      { head: 'Envoy', cell: ({ connection }) => connection.proxy.version || html`<span class="quiet">–</span>` },
      { head: 'Peer', cell: ({ connection }) => connection.peer },
      { head: 'Connected', cell: ({ connection }) => renderSince(connection.connectedAt, now) },
    ],
    rows,
  );
}
