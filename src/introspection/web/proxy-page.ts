import type { ProxyConnection } from '../../model/proxy-connection.js';
import { findProxy, PROXY_ID } from '../find-proxy.js';
import { type Html, html } from '../html.js';
import { listOf, recordOf } from '../json-source.js';
import { compareText } from '../order.js';
import type { Page } from '../page.js';
import type { PastRejection } from '../past-rejection.js';
import { type ProxyState, proxyState } from '../proxy-state.js';
import type { Views } from '../views.js';
import { progressOf, type TypeProgress, typeTitle } from './behind.js';
import { count, joined, objectLink, renderBadge, renderSince, renderState, serviceLink } from './pieces.js';
import { rejectionJson, renderCauses } from './rejections.js';
import { type ChangedResource, type ResourceChanges, resourceChanges } from './resource-changes.js';
import type { Site } from './site.js';
import { renderTable } from './table.js';
import { createWebPage } from './web-page.js';

interface TypeModel extends TypeProgress {
  /** Resources that the proxy has accepted; undefined if that is not known. */
  readonly has: number | undefined;
  readonly changes: ResourceChanges | undefined;
}

interface RejectionModel {
  readonly past: PastRejection;
  /** Whether the proxy has accepted no later response of the type. */
  readonly isPresent: boolean;
  readonly changes: ResourceChanges | undefined;
}

interface Model {
  readonly connection: ProxyConnection;
  readonly now: Date;
  readonly state: ProxyState;
  readonly types: readonly TypeModel[];
  readonly rejections: readonly RejectionModel[];
  /** Hosts that its workload serves. */
  readonly serves: readonly string[];
}

/** Objects that a list names. */
const MAX_OBJECTS = 30;
const MAX_REJECTIONS = 5;

/** One proxy: its resources, the changes that it lacks, and its rejections with their causes and differences. */
export function proxyPage(site: Site): Page {
  return createWebPage<Model>(site, {
    path: '/debug/proxy',
    title: 'Proxy',
    description: 'One proxy: what it has and lacks, its rejections and their causes, sent compared with acknowledged',
    parameters: [PROXY_ID],
    model: proxyModel,
    isElsewhere: ({ connections }, { query }) => {
      const wanted = query.get('proxyID') ?? '';
      return wanted !== '' && !connections().some(({ id }) => id.includes(wanted));
    },
    render: renderProxy,
    json: ({ connection, state, types, rejections, serves }) =>
      recordOf({
        proxy: connection.proxy.id,
        connection: connection.id,
        peer: connection.peer,
        connectedAt: connection.connectedAt.toISOString(),
        state: state.type,
        serves,
        rejections: listOf(rejections, ({ past, isPresent, changes }) => ({
          ...rejectionJson(past),
          isPresent,
          changes,
        })),
        types: listOf(types, ({ type, state: ofType, watch, missing, has, changes }) => ({
          type,
          state: ofType,
          resources: has,
          sent: watch.sentNonce,
          acknowledged: watch.ackedNonce,
          sentAt: watch.sentAt,
          missing: missing && [...missing].sort(compareText).slice(0, MAX_OBJECTS),
          ...(watch.rejection && { rejection: watch.rejection }),
          changes,
        })),
      }),
  });
}

function proxyModel(views: Views, { query, now }: { readonly query: URLSearchParams; readonly now: Date }): Model {
  const connection = findProxy(views, query);
  const types = progressOf(connection, views).map((progress): TypeModel => {
    const state = views.resourceStateOf?.(connection.id, progress.typeUrl);
    return {
      ...progress,
      has: state?.accepted?.length,
      changes: state && resourceChanges(state, views.messageJson),
    };
  });
  const targets = views.context()?.targetsOf(connection.proxy) ?? [];
  return {
    connection,
    now,
    state: proxyState(connection, views.currentConfigVersion()),
    types,
    rejections: rejectionsOf(connection, views),
    serves: [...new Set(targets.map(({ service }) => service.hostname))],
  };
}

function rejectionsOf({ id, watches }: ProxyConnection, views: Views): readonly RejectionModel[] {
  const all = views.rejections?.() ?? [];
  return all
    .filter(({ connection }) => connection === id)
    .slice(0, MAX_REJECTIONS)
    .map((past) => ({
      past,
      isPresent: watches.get(past.typeUrl)?.rejection?.nonce === past.nonce,
      changes: resourceChanges({ accepted: past.accepted, offered: past.offered }, views.messageJson),
    }));
}

function renderProxy({ connection, now, state, types, rejections, serves }: Model): Html {
  const { id, peer, proxy, connectedAt } = connection;
  const query = new URLSearchParams({ proxyID: id }).toString();
  const pages = ['config_dump', 'edsz', 'appliedz', 'policyz'];
  return html`<p class="crumb"><a href="/debug/proxies">Proxies</a> / <bdi>${proxy.configNamespace}</bdi></p>
<div class="lead"><h1><bdi>${proxy.name}</bdi></h1>${renderState(state)}</div>
<dl>
<dt>Node</dt><dd><bdi class="id">${proxy.id}</bdi></dd>
<dt>Connected</dt><dd>${renderSince(connectedAt, now)} from <bdi>${peer}</bdi></dd>
<dt>Kind</dt><dd>${proxy.isProxyless === true ? 'gRPC client without proxy' : proxy.type}${proxy.speaksDelta === true ? ', delta xDS' : ', state of the world'}${proxy.hasSecrets ? ', with certificate' : ', without certificate'}</dd>
<dt>Envoy</dt><dd><bdi>${proxy.version || 'not known'}</bdi>${proxy.metadata.meshVersion === undefined ? '' : html`, mesh <bdi>${proxy.metadata.meshVersion}</bdi>`}</dd>
<dt>Serves</dt><dd>${joined(
    serves.map((host) => serviceLink(host)),
    'no service',
  )}</dd>
<dt>Raw data</dt><dd class="links">${pages.map((page) => html`<a href="/debug/${page}?${query}">${page}</a> `)}</dd>
</dl>
${rejections.map((rejection) => renderRejection(rejection, now))}
<section><h2>What it has</h2>
${types.length === 0 ? html`<p class="empty">The proxy has requested nothing yet.</p>` : renderTypes(types, now)}</section>
${types.map(renderMissing)}
${types.map(renderChanges)}`;
}

function renderTypes(types: readonly TypeModel[], now: Date): Html {
  return renderTable<TypeModel>(
    [
      { head: 'Type', cell: ({ typeUrl, type }) => html`${typeTitle(typeUrl)} <span class="quiet">${type}</span>` },
      { head: 'State', cell: ({ state }) => renderTypeState(state) },
      { head: 'Resources', isNumber: true, cell: ({ has }) => has ?? 'not known' },
      {
        head: 'Last sent',
        cell: ({ watch }) => (watch.sentAt === undefined ? 'nothing yet' : html`${renderSince(watch.sentAt, now)} ago`),
      },
      {
        head: 'Behind',
        cell: ({ missing, state }) =>
          state === 'current'
            ? html`<span class="quiet">–</span>`
            : missing === undefined
              ? 'not known'
              : count(missing.size, 'object'),
      },
    ],
    types,
  );
}

function renderTypeState(state: TypeProgress['state']): Html {
  if (state === 'current') return renderBadge('Acknowledged', 'good');
  return state === 'waiting' ? renderBadge('Waiting', 'busy') : renderBadge('Rejected', 'bad');
}

function renderRejection({ past, isPresent, changes }: RejectionModel, now: Date): Html {
  const { typeUrl, code, message, causes, at } = past;
  const state = isPresent ? renderBadge('in force', 'bad') : renderBadge('no longer in force', 'good');
  return html`<section><h2>Rejected ${typeTitle(typeUrl).toLowerCase()} <small>${code}, ${renderSince(at, now)} ago</small> ${state}</h2>
<pre class="wrap" tabindex="0">${message || 'The proxy gave no reason.'}</pre>
<p>Caused by ${renderCauses(causes)}</p>
${changes === undefined ? '' : html`<h3>Changes in the rejected response</h3>${renderChangeList(changes)}`}</section>`;
}

function renderMissing({ typeUrl, state, missing }: TypeModel): Html {
  if (state === 'current' || missing === undefined || missing.size === 0) return html``;
  const keys = [...missing].sort(compareText).slice(0, MAX_OBJECTS);
  return html`<section><h2>Not acknowledged in ${typeTitle(typeUrl).toLowerCase()} <small>${count(missing.size, 'changed object')}</small></h2>
<p>${joined(keys.map((key) => objectLink(key)))}</p></section>`;
}

function renderChanges({ typeUrl, state, changes }: TypeModel): Html {
  // The changes of a rejected response are shown with its rejection.
  if (changes === undefined || state !== 'waiting') return html``;
  const { added, changed, removed } = changes;
  return html`<section><h2>Sent, and not acknowledged: ${typeTitle(typeUrl).toLowerCase()} <small>${added} added, ${changed} changed, ${removed} removed</small></h2>
${renderChangeList(changes)}</section>`;
}

function renderChangeList({ added, changed, removed, shown }: ResourceChanges): Html {
  const rest = added + changed + removed - shown.length;
  return html`${shown.map(renderChange)}${rest > 0 ? html`<p class="quiet">${rest} more are not shown.</p>` : ''}`;
}

function renderChange({ name, type, lines }: ChangedResource): Html {
  return html`<details><summary>${renderBadge(type, type === 'added' ? 'good' : type === 'removed' ? 'bad' : 'busy')} <bdi>${name}</bdi></summary>${
    lines === undefined
      ? html`<p class="quiet">The resource is too large to be compared here.</p>`
      : html`<pre tabindex="0">${lines.map((line) => {
          if (line.type === 'added') return html`<ins>${line.text}</ins>`;
          if (line.type === 'removed') return html`<del>${line.text}</del>`;
          return html`<span class="${line.type}">${line.text}</span>`;
        })}</pre>`
  }</details>`;
}
