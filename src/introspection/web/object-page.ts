import { redactSecrets } from '../../base/redact-secrets.js';
import type { MeshObject, ObjectKey } from '../../config/object.js';
import { objectForm } from '../../config/object-form.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { sourceKeysOf } from '../../model/derived/source-keys.js';
import type { ProxyConnection } from '../../model/proxy-connection.js';
import type { PushContext } from '../../model/push-context.js';
import { type Html, html } from '../html.js';
import { HttpProblem } from '../http-problem.js';
import type { SilentInstance } from '../instances.js';
import { listOf, recordOf } from '../json-source.js';
import { sortConnections } from '../order.js';
import type { Page } from '../page.js';
import type { PastRejection } from '../past-rejection.js';
import type { ConfigProblem, Views } from '../views.js';
import { lastProblems, requireContext } from '../views.js';
import { typeTitle } from './behind.js';
import { objectsMadeFrom, renderMaking } from './made-objects.js';
import { type MadeResource, madeResources } from './made-resources.js';
import { type Reference, referencesOf, referrersIn } from './object-references.js';
import { renderValidity } from './objects-page.js';
import { askOthers, type Fields, numberIn, recordIn, recordsIn, renderSilent, textIn } from './other-instances.js';
import { count, joined, objectLink, proxyLink, renderBadge, renderJson } from './pieces.js';
import { readRejection, rejectionJson, renderRejections } from './rejections.js';
import type { Site } from './site.js';
import { renderTable } from './table.js';
import { createWebPage } from './web-page.js';

interface ProxyHolds {
  /** Id of the connection. */
  readonly id: string;
  readonly name: string;
  readonly namespace: string;
  /** The other instance that serves it; undefined for this one. */
  readonly instance: string | undefined;
  /** Versions of the object that it has acknowledged, by type. */
  readonly acked: ReadonlyMap<string, string>;
  /** Whether its rejection may come from this object. */
  readonly rejects: boolean;
}

interface Model {
  readonly key: ObjectKey;
  readonly now: Date;
  readonly object: MeshObject | undefined;
  readonly problems: readonly ConfigProblem[];
  /** The objects that the control plane made it from; none for an applied object. */
  readonly sources: readonly ObjectKey[];
  /** The objects that the control plane made from it. */
  readonly makes: readonly ObjectKey[];
  readonly references: readonly Reference[];
  readonly referrers: readonly ObjectKey[];
  /** Undefined if tracking is off. */
  readonly holders: readonly ProxyHolds[] | undefined;
  readonly connected: number;
  readonly silent: readonly SilentInstance[];
  /** Rejections that the object may have caused. */
  readonly rejections: readonly PastRejection[];
  /** The proxy whose resources are shown. */
  readonly shown: ProxyConnection | undefined;
  readonly made: readonly (MadeResource & { readonly text: string })[] | undefined;
}

const PATH = '/debug/object';
const MAX_PROXIES = 50;
const MAX_REJECTIONS = 5;
/** Proxies that are searched for resources of the object. */
const MAX_SEARCHED = 5;
const MAX_TEXT = 64 * 1024;
const TYPES = [TypeUrl.cluster, TypeUrl.listener, TypeUrl.route, TypeUrl.virtualHost];

/** One object: its validity, its references, the proxies that have it, and the resources of Envoy that come of it. */
export function objectPage(site: Site): Page {
  return createWebPage<Model>(site, {
    path: PATH,
    title: 'Object',
    description: 'One object: validity, references, the proxies that have it, and the Envoy resources that come of it',
    parameters: [{ name: 'key', required: true, choice: { type: 'resource' } }],
    model: (views, { query, now }) => objectModel(views, query.get('key') ?? '', now),
    render: renderObject,
    json: (model) =>
      recordOf({
        object: model.key,
        isInForce: model.object !== undefined,
        problems: model.problems,
        madeFrom: model.sources,
        makes: model.makes,
        references: model.references,
        referrers: model.referrers,
        rejections: model.rejections.map(rejectionJson),
        connected: model.connected,
        silentInstances: model.silent,
        proxies: model.holders?.map(({ acked, ...holder }) => ({ ...holder, acknowledged: Object.fromEntries(acked) })),
        resourcesOf: model.shown?.proxy.id,
        resources: model.made && listOf(model.made, ({ typeUrl, resource }) => ({ typeUrl, name: resource.name })),
        content: model.object && objectForm(model.object),
      }),
  });
}

async function objectModel(views: Views, key: ObjectKey, now: Date): Promise<Model> {
  const context = requireContext(views);
  const object = context.objects.get(key.slice(0, key.indexOf('/')))?.get(key);
  const problems = lastProblems(views).filter((problem) => problem.object === key);
  if (object === undefined && problems.length === 0) {
    throw new HttpProblem(404, `There is no object ${key.slice(0, 300)}. /debug/objects lists all objects.`);
  }
  const sources = sourceKeysOf(context, key);
  // A rejection names the sources of an object instead of the object.
  const blamed = [key, ...sources];
  const connections = sortConnections(views.connections());
  const others = await askOthers(views, `${PATH}?${new URLSearchParams({ key }).toString()}`, readPart);
  return {
    key,
    object,
    problems,
    sources,
    makes: objectsMadeFrom(context, key),
    references: object === undefined ? [] : referencesOf(object, context),
    referrers: (await referrersIn(context)).get(key) ?? [],
    holders: views.trackingEnabled
      ? [
          ...connections.slice(0, MAX_PROXIES).map((each) => holds(each, key, blamed, views)),
          ...others.found.flatMap(({ holders }) => holders),
        ]
      : undefined,
    connected: others.found.reduce((total, { connected }) => total + connected, connections.length),
    rejections: [
      ...(views.rejections?.() ?? []).filter(({ causes }) => isBlamed(causes, blamed)),
      ...others.found.flatMap(({ rejections }) => rejections),
    ].slice(0, MAX_REJECTIONS),
    silent: others.silent,
    now,
    ...resourcesOf(object, connections, context, views),
  };
}

/** The part of another instance. */
function readPart(page: Fields, instance: string) {
  return {
    connected: numberIn(page, 'connected'),
    rejections: recordsIn(page, 'rejections').map(readRejection),
    holders: recordsIn(page, 'proxies').map((fields): ProxyHolds => {
      const acknowledged = Object.entries(recordIn(fields, 'acknowledged'));
      return {
        ...{ id: textIn(fields, 'id'), name: textIn(fields, 'name'), namespace: textIn(fields, 'namespace') },
        instance,
        acked: new Map(acknowledged.map(([typeUrl, version]) => [typeUrl, String(version)])),
        rejects: fields['rejects'] === true,
      };
    }),
  };
}

function isBlamed(causes: readonly ObjectKey[], blamed: readonly ObjectKey[]): boolean {
  return causes.some((cause) => blamed.includes(cause));
}

function holds(connection: ProxyConnection, key: ObjectKey, blamed: readonly ObjectKey[], views: Views): ProxyHolds {
  const acked = new Map<string, string>();
  for (const typeUrl of TYPES) {
    const root = connection.watches.get(typeUrl)?.ackedConfigVersion ?? '';
    const version = root === '' ? undefined : views.versionOf(root, key);
    if (version !== undefined) acked.set(typeUrl, version);
  }
  const present = new Set([...connection.watches.values()].flatMap(({ rejection }) => rejection?.nonce ?? []));
  const rejects = (views.rejections?.() ?? []).some(
    ({ connection: id, nonce, causes }) => id === connection.id && present.has(nonce) && isBlamed(causes, blamed),
  );
  const { id, proxy } = connection;
  return { id, name: proxy.name, namespace: proxy.configNamespace, instance: undefined, acked, rejects };
}

function resourcesOf(
  object: MeshObject | undefined,
  connections: readonly ProxyConnection[],
  { domain }: PushContext,
  views: Views,
): Pick<Model, 'shown' | 'made'> {
  if (object === undefined) return { shown: undefined, made: [] };
  let found: Pick<Model, 'shown' | 'made'> = { shown: undefined, made: [] };
  for (const connection of connections.slice(0, MAX_SEARCHED)) {
    const made = madeResources(object, domain, connection.id, views);
    if (made === undefined) return { shown: undefined, made: undefined };
    found = {
      shown: connection,
      made: made.map((each) => ({ ...each, text: textOf(each, views) })),
    };
    if (made.length > 0) return found;
  }
  return found;
}

function textOf({ resource }: MadeResource, views: Views): string {
  if (resource.entry.length > MAX_TEXT) return 'This resource is too large to be shown here; see config_dump.';
  return JSON.stringify(views.messageJson.resourceToJson(resource), redactSecrets, 2);
}

function renderObject(model: Model): Html {
  const { key, object, problems } = model;
  const [kind = '', namespace = '', ...name] = key.split('/');
  return html`<p class="crumb"><a href="/debug/objects">Objects</a> / <bdi>${kind}</bdi> / <bdi>${namespace}</bdi></p>
<div class="lead"><h1><bdi>${name.join('/')}</bdi></h1>${renderValidity(problems, object !== undefined)}<span class="quiet">${
    object === undefined
      ? 'no valid state is in force'
      : html`version <bdi class="id">${object.metadata.resourceVersion}</bdi>`
  }</span></div>
${problems.map(
  ({ reason, field, code, level = 'Rejected', file }) =>
    html`<p>${renderBadge(level, level === 'Warn' || level === 'Info' ? 'busy' : 'bad')} <bdi>${code === undefined ? '' : `${code}: `}${reason}</bdi>${field === undefined ? '' : html` <code>${field}</code>`}${file === undefined ? '' : html` <span class="quiet"><bdi>${file}</bdi></span>`}</p>`,
)}
${model.rejections.length === 0 ? '' : html`<h2>Rejections that it may have caused</h2>${renderRejections(model.rejections, model.now)}`}
${renderMaking(model.sources, model.makes)}
${renderReferences(model)}
${renderHolders(model)}
${renderSilent(model.silent)}
${renderMade(model)}
${object === undefined ? '' : html`<h2>Content</h2>${renderJson(JSON.stringify(objectForm(object), redactSecrets, 2))}`}`;
}

function renderReferences({ references, referrers }: Model): Html {
  if (references.length + referrers.length === 0) return html``;
  return html`<h2>References</h2><dl>
<dt>Names</dt><dd>${joined(
    references.map(
      ({ target, field, exists }) =>
        html`${objectLink(target)} <span class="quiet">${field}</span>${exists ? '' : html` ${renderBadge('missing', 'bad')}`}`,
    ),
  )}</dd>
<dt>Named by</dt><dd>${joined(referrers.slice(0, MAX_PROXIES).map((key) => objectLink(key)))}</dd></dl>`;
}

function renderHolders({ holders, connected, object }: Model): Html {
  if (holders === undefined) {
    return html`<h2>Proxies</h2><p class="empty">NAV_ENABLE_CONFIG_DISTRIBUTION_TRACKING is false, so the versions that proxies have are not known.</p>`;
  }
  if (connected === 0) return html`<h2>Proxies</h2><p class="empty">No proxy is connected.</p>`;
  const version = object?.metadata.resourceVersion;
  return html`<h2>Proxies <small>${holders.length === connected ? count(connected, 'proxy', 'proxies') : `the first ${holders.length} of ${connected}`}</small></h2>
${renderTable<ProxyHolds>(
  [
    {
      head: 'Proxy',
      cell: ({ id, name, namespace, instance }) =>
        html`${proxyLink(id, name)} <bdi class="quiet">${namespace}</bdi>${instance === undefined ? '' : html` <bdi class="quiet">at ${instance}</bdi>`}`,
    },
    { head: 'Has it', cell: (holder) => renderHolding(holder, version) },
    {
      head: 'Acknowledged versions',
      cell: ({ acked }) =>
        joined(
          [...acked].map(([typeUrl, each]) => html`${typeTitle(typeUrl)} <bdi class="id">${each}</bdi>`),
          'none',
        ),
    },
  ],
  holders,
)}`;
}

function renderHolding({ acked, rejects }: ProxyHolds, version: string | undefined): Html {
  if (rejects) return renderBadge('Rejects it', 'bad');
  const versions = [...acked.values()];
  if (versions.length === 0) return renderBadge('Not tracked', '');
  if (versions.every((each) => each === version)) return renderBadge('Yes', 'good');
  return renderBadge('Earlier version', 'busy');
}

function renderMade({ made, shown }: Model): Html {
  if (made === undefined) {
    return html`<h2>Envoy resources</h2><p class="empty">Objects of this kind leave no name of theirs in the resources of Envoy. The page of a proxy links appliedz, which lists the objects that apply to it.</p>`;
  }
  if (shown === undefined) return html``;
  return html`<h2>Envoy resources <small>of ${proxyLink(shown.id, shown.proxy.name)}, that name this object</small></h2>
${
  made.length === 0
    ? html`<p class="empty">No resource of the proxies that were searched names it.</p>`
    : made.map(
        ({ typeUrl, resource, text }) =>
          html`<details><summary><span class="quiet">${typeTitle(typeUrl)}</span> <bdi>${resource.name}</bdi></summary>${renderJson(text)}</details>`,
      )
}`;
}
