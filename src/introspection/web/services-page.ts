import { type Html, html } from '../html.js';
import { mapInTurns } from '../in-turns.js';
import { listOf, recordOf } from '../json-source.js';
import type { Page } from '../page.js';
import { everyService } from '../pages/service-json.js';
import { requireContext } from '../views.js';
import { referrersIn } from './object-references.js';
import { contains, count, joined, renderBadge, renderFilter, serviceLink } from './pieces.js';
import { type ServiceFacts, serviceFacts } from './service-facts.js';
import type { Site } from './site.js';
import { type ListPart, partOf, renderPager, renderTable } from './table.js';
import { createWebPage } from './web-page.js';

interface Model {
  readonly query: URLSearchParams;
  readonly part: ListPart<ServiceFacts>;
}

const PATH = '/debug/services';
/** A service can have thousands of endpoints. */
const FACTS_AT_ONCE = 10;

/** All services with the health of their endpoints, mutual TLS and the objects that act on them. */
export function servicesPage(site: Site): Page {
  return createWebPage<Model>(site, {
    path: PATH,
    title: 'Services',
    description: 'All services: endpoints, health, mutual TLS, routes and policies',
    parameters: [
      { name: 'q', required: false, choice: { type: 'text' } },
      { name: 'page', required: false, choice: { type: 'text' } },
    ],
    model: async (views, { query }) => {
      const context = requireContext(views);
      const filter = query.get('q') ?? '';
      const services = [...everyService(context)].filter(({ hostname, namespace, addresses }) =>
        contains(filter, hostname, namespace, ...addresses),
      );
      const part = partOf(services, query);
      const referrers = await referrersIn(context);
      const items = await mapInTurns(part.items, FACTS_AT_ONCE, (service) => serviceFacts(context, service, referrers));
      return { query, part: { ...part, items } };
    },
    render: renderServices,
    json: ({ part }) =>
      recordOf({
        matching: part.total,
        services: listOf(part.items, ({ service, endpoints, healthy, mutualTls, namedBy, authorization }) => ({
          host: service.hostname,
          namespace: service.namespace,
          endpoints: endpoints.length,
          healthy,
          mutualTls,
          namedBy,
          authorization,
        })),
      }),
  });
}

function renderServices({ query, part }: Model): Html {
  return html`<div class="lead"><h1>Services</h1><span class="quiet">${count(part.total, 'service')}</span></div>
${renderFilter(PATH, query, 'Host, namespace or address')}
${part.items.length === 0 ? html`<p class="empty">No service matches the filter.</p>` : renderRows(part.items)}
${renderPager(PATH, query, part)}`;
}

function renderRows(rows: readonly ServiceFacts[]): Html {
  return renderTable<ServiceFacts>(
    [
      {
        head: 'Service',
        cell: ({ service }) => serviceLink(service.hostname, service.namespace),
      },
      { head: 'Namespace', cell: ({ service }) => service.namespace },
      {
        head: 'Ports',
        cell: ({ service }) => service.ports.map(({ number, protocol }) => `${number} ${protocol}`).join(', '),
      },
      { head: 'Endpoints', cell: renderHealth },
      { head: 'Mutual TLS', cell: ({ mutualTls }) => renderModes(mutualTls) },
      {
        head: 'Objects',
        cell: ({ namedBy, authorization }) =>
          joined(
            [...countKinds([...namedBy, ...authorization])].map(([kind, number]) =>
              number === 1 ? kind : `${number} ${kind}`,
            ),
          ),
      },
    ],
    rows,
  );
}

export function renderModes(modes: ServiceFacts['mutualTls']): Html {
  return joined(modes.map((mode) => renderBadge(mode, mode === 'STRICT' ? 'good' : mode === 'DISABLE' ? 'busy' : '')));
}

export function renderHealth({ endpoints, healthy, service }: ServiceFacts): Html {
  if (endpoints.length === 0) {
    return service.resolution === 'passthrough'
      ? html`<span class="quiet">passed through</span>`
      : renderBadge('no endpoints', 'bad');
  }
  const tone = healthy === 0 ? 'bad' : healthy < endpoints.length ? 'busy' : 'good';
  return renderBadge(`${healthy} of ${endpoints.length} healthy`, tone);
}

function countKinds(keys: readonly string[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const key of keys) {
    const kind = key.slice(0, key.indexOf('/'));
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}
