import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { type Html, html } from '../html.js';
import { listOf, recordOf } from '../json-source.js';
import { compareText } from '../order.js';
import type { Page } from '../page.js';
import { requireContext } from '../views.js';
import { type CallerIdentity, type CallRight, callRights } from './call-rights.js';
import { contains, renderFilter, serviceLink } from './pieces.js';
import type { Site } from './site.js';
import { createWebPage } from './web-page.js';

interface Model {
  readonly query: URLSearchParams;
  readonly callers: readonly CallerIdentity[];
  readonly services: readonly Service[];
  /** By service, then by caller. */
  readonly rights: readonly (readonly CallRight[])[];
  readonly allCallers: number;
  readonly allServices: number;
}

const PATH = '/debug/calls';
const MAX_CALLERS = 24;
const MAX_SERVICES = 40;

/** Which identities may call which services, by exportTo and AuthorizationPolicies. */
export function callsPage(site: Site): Page {
  return createWebPage<Model>(site, {
    path: PATH,
    title: 'Who may call whom',
    description: 'Which identities may call which services, by exportTo and AuthorizationPolicies',
    parameters: [
      { name: 'q', required: false, choice: { type: 'text' } },
      { name: 'caller', required: false, choice: { type: 'text' } },
    ],
    model: (views, { query }) => {
      const context = requireContext(views);
      const all = callersOf(context).filter(({ uri, namespace }) =>
        contains(query.get('caller') ?? '', uri, namespace),
      );
      const found = context.services.filter(({ hostname, namespace }) =>
        contains(query.get('q') ?? '', hostname, namespace),
      );
      const [callers, services] = [all.slice(0, MAX_CALLERS), found.slice(0, MAX_SERVICES)];
      return {
        query,
        callers,
        services,
        rights: services.map((service) => callRights(context, callers, service)),
        allCallers: all.length,
        allServices: found.length,
      };
    },
    render: renderCalls,
    json: ({ callers, services, rights }) =>
      recordOf({
        callers: callers.map(({ uri }) => uri),
        services: listOf(services.entries(), ([index, { hostname }]) => ({
          host: hostname,
          calls: rights[index],
        })),
      }),
  });
}

/** The identities of all endpoints in the mesh. */
function callersOf({ endpoints }: PushContext): readonly CallerIdentity[] {
  const callers = new Map<string, CallerIdentity>();
  for (const [, { shards }] of endpoints.entries()) {
    for (const list of shards.values()) {
      for (const { serviceAccount: uri, namespace } of list) {
        if (uri !== '') callers.set(uri, { uri, namespace: /\/ns\/([^/]+)\//.exec(uri)?.[1] ?? namespace });
      }
    }
  }
  return [...callers.values()].toSorted((first, second) => compareText(first.uri, second.uri));
}

const SIGNS = {
  allowed: ['✓', 'good', 'may call'],
  some: ['◐', 'busy', 'may call with some requests'],
  denied: ['✕', 'bad', 'may not call'],
  unseen: ['–', '', 'does not see'],
} as const;

function renderCalls({ query, callers, services, rights, allCallers, allServices }: Model): Html {
  const caller = html`<input type="search" name="caller" value="${query.get('caller') ?? ''}" placeholder="Caller: identity or namespace" aria-label="Caller: identity or namespace" autocomplete="off">`;
  const isCut = callers.length < allCallers || services.length < allServices;
  return html`<div class="lead"><h1>Who may call whom</h1></div>
<p class="note">By visibility (exportTo) and the AuthorizationPolicies of the services' workloads, for callers with mutual TLS. ${Object.values(SIGNS).map(([sign, tone, text]) => html`<span class="sign"><span class="badge ${tone}">${sign}</span> ${text}</span> `)}</p>
${renderFilter(PATH, query, 'Service: host or namespace', caller)}
${callers.length === 0 || services.length === 0 ? html`<p class="empty">No ${services.length === 0 ? 'service' : 'identity of a workload'} matches the filter.</p>` : renderMap(callers, services, rights)}
${isCut ? html`<p class="pager">${callers.length} of ${allCallers} callers, ${services.length} of ${allServices} services. Use the filters to see others.</p>` : ''}`;
}

function renderMap(callers: readonly CallerIdentity[], services: readonly Service[], rights: Model['rights']): Html {
  return html`<div class="scroll" tabindex="0" role="region" aria-label="Who may call whom"><table class="map"><thead><tr><th scope="col">Service ╲ caller</th>${callers.map(
    ({ uri }) => html`<th scope="col" title="${uri}"><bdi>${shortIdentity(uri)}</bdi></th>`,
  )}</tr></thead><tbody>${services.map(
    (service, row) =>
      html`<tr><th scope="row">${serviceLink(service.hostname, service.namespace)}</th>${callers.map((caller, column) =>
        renderRight(rights[row]?.[column], caller, service),
      )}</tr>`,
  )}</tbody></table></div>`;
}

function renderRight(right: CallRight | undefined, { uri }: CallerIdentity, { hostname }: Service): Html {
  const [sign, tone, text] = SIGNS[right?.type ?? 'unseen'];
  const by = right !== undefined && 'policies' in right ? `, by ${right.policies.join(', ')}` : '';
  return html`<td title="${shortIdentity(uri)} ${text} ${hostname}${by}"><span class="badge ${tone}">${sign}</span></td>`;
}

/** `shop/web` of `spiffe://cluster.local/ns/shop/sa/web`. */
function shortIdentity(uri: string): string {
  const match = /\/ns\/([^/]+)\/sa\/([^/]+)$/.exec(uri);
  return match === null ? uri : `${match[1]}/${match[2]}`;
}
