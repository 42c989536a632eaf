import { type Html, html } from '../html.js';
import type { SilentInstance } from '../instances.js';
import { listOf, recordOf } from '../json-source.js';
import type { Page } from '../page.js';
import type { PastRejection } from '../past-rejection.js';
import type { Views } from '../views.js';
import {
  compareListed,
  type ListedProxy,
  listedProxy,
  listedProxyJson,
  readListedProxy,
  withProgress,
} from './listed-proxy.js';
import { askOthers, type Fields, numberIn, recordsIn, renderSilent } from './other-instances.js';
import { contains, count, proxyLink, renderFilter, renderOptions, renderSince, renderState } from './pieces.js';
import { proxyRows } from './proxy-row.js';
import { readRejection, rejectionJson, renderRejections } from './rejections.js';
import type { Site } from './site.js';
import { type ListPart, MAX_PART_SIZE, partOf, renderPager, renderTable } from './table.js';
import { createWebPage } from './web-page.js';

interface Model {
  readonly query: URLSearchParams;
  readonly now: Date;
  readonly part: ListPart<ListedProxy>;
  /** Those that match the filters: more than the part is of, if an instance has very many. */
  readonly matching: number;
  readonly connected: number;
  readonly rejections: readonly PastRejection[];
  readonly silent: readonly SilentInstance[];
}

/** The part of one instance. */
interface OfInstance extends Pick<Model, 'matching' | 'connected' | 'rejections'> {
  readonly proxies: readonly ListedProxy[];
}

const PATH = '/debug/proxies';
const MAX_REJECTIONS = 10;
const STATES = [
  ['', 'any state'],
  ['current', 'up to date'],
  ['waiting', 'waiting'],
  ['rejected', 'rejected'],
] as const;

/** The proxies that are connected to all instances, with their state; those that reject come first. */
export function proxiesPage(site: Site): Page {
  return createWebPage<Model>(site, {
    path: PATH,
    title: 'Proxies',
    description: 'The connected proxies: which are up to date, which lag, which rejected, and why',
    parameters: ['q', 'state', 'page', 'size'].map((name) => ({ name, required: false, choice: { type: 'text' } })),
    model: async (views, { query, now }) => {
      const [own, others] = await Promise.all([
        ofThisInstance(views, query),
        askOthers(views, pathFor(query), readPart),
      ]);
      const all: readonly OfInstance[] = [own, ...others.found];
      const sum = (of: (part: OfInstance) => number): number => all.reduce((total, part) => total + of(part), 0);
      const listed = others.found.length === 0 ? own.proxies : all.flatMap(({ proxies }) => proxies);
      const part = partOf(listed.toSorted(compareListed), query);
      return {
        query,
        now,
        // What a proxy lacks takes long to find, so only of those that are shown.
        part: { ...part, items: part.items.map((proxy) => withProgress(proxy, views)) },
        matching: sum(({ matching }) => matching),
        connected: sum(({ connected }) => connected),
        rejections: all
          .flatMap(({ rejections }) => rejections)
          .toSorted((first, second) => second.at.getTime() - first.at.getTime())
          .slice(0, MAX_REJECTIONS),
        silent: others.silent,
      };
    },
    render: renderProxies,
    json: ({ part, matching, connected, rejections, silent }) =>
      recordOf({
        connected,
        matching,
        lastRejections: listOf(rejections, rejectionJson),
        silentInstances: silent,
        proxies: listOf(part.items, listedProxyJson),
      }),
  });
}

async function ofThisInstance(views: Views, query: URLSearchParams): Promise<OfInstance> {
  const filter = query.get('q') ?? '';
  const state = query.get('state') ?? '';
  const connections = views.connections();
  const found = connections.filter(({ id, peer, proxy }) => contains(filter, id, peer, proxy.version));
  const rows = await proxyRows(found, views.currentConfigVersion());
  const proxies = rows.filter((row) => state === '' || row.state.type === state).map(listedProxy);
  const rejections = (views.rejections?.() ?? []).slice(0, MAX_REJECTIONS);
  return { proxies, matching: proxies.length, connected: connections.length, rejections };
}

/** All that another instance shows of its part. */
function pathFor(query: URLSearchParams): string {
  const fields = { q: query.get('q') ?? '', state: query.get('state') ?? '', size: String(MAX_PART_SIZE) };
  return `${PATH}?${new URLSearchParams(fields).toString()}`;
}

function readPart(page: Fields, instance: string): OfInstance {
  return {
    proxies: recordsIn(page, 'proxies').map((fields) => readListedProxy(fields, instance)),
    matching: numberIn(page, 'matching'),
    connected: numberIn(page, 'connected'),
    rejections: recordsIn(page, 'lastRejections').map(readRejection),
  };
}

function renderProxies({ query, now, part, matching, connected, rejections, silent }: Model): Html {
  const shown = matching === connected ? '' : ` · ${matching} match`;
  const isCut = part.total < matching;
  return html`<div class="lead"><h1>Proxies</h1><span class="quiet">${connected} connected${shown}</span></div>
${renderSilent(silent)}
${renderFilter(PATH, query, 'Name, namespace, address or version', renderOptions('state', 'State', STATES, query.get('state') ?? ''))}
${part.items.length === 0 ? html`<p class="empty">${connected === 0 ? 'No proxy is connected. A proxy appears here when it opens a stream.' : 'No proxy matches the filter.'}</p>` : renderRows(part.items, now)}
${renderPager(PATH, query, part)}
${isCut ? html`<p class="pager">Other instances list ${MAX_PART_SIZE} proxies at most. Use the filters to see others.</p>` : ''}
${rejections.length === 0 ? '' : html`<h2>Last rejections</h2>${renderRejections(rejections, now)}`}`;
}

function renderRows(rows: readonly ListedProxy[], now: Date): Html {
  const hasOthers = rows.some(({ instance }) => instance !== undefined);
  return renderTable<ListedProxy>(
    [
      {
        head: 'Proxy',
        cell: ({ id, node, name, namespace }) =>
          html`${proxyLink(id, name)} <bdi class="quiet">${namespace}</bdi><br><bdi class="id">${node}</bdi>`,
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
      { head: 'Envoy', cell: ({ version }) => version || html`<span class="quiet">–</span>` },
      { head: 'Peer', cell: ({ peer }) => peer },
      { head: 'Connected', cell: ({ connectedAt }) => renderSince(connectedAt, now) },
      ...(hasOthers ? [{ head: 'Instance', cell: ({ instance = 'this one' }: ListedProxy) => instance }] : []),
    ],
    rows,
  );
}
