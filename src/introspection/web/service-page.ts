import { namespaceOfKey, type ObjectKey } from '../../config/object.js';
import type { Endpoint } from '../../model/endpoint.js';
import { boundKeysOf } from '../../model/policy/explain-policy.js';
import { resolvePolicyBindings } from '../../model/policy/policy-bindings.js';
import type { PushContext } from '../../model/push-context.js';
import { type Html, html } from '../html.js';
import { HttpProblem } from '../http-problem.js';
import { recordOf } from '../json-source.js';
import { compareText } from '../order.js';
import type { Page } from '../page.js';
import { everyService } from '../pages/service-json.js';
import { requireContext } from '../views.js';
import { referrersIn } from './object-references.js';
import { count, joined, linkTo, objectLink, renderBadge } from './pieces.js';
import { type ServiceFacts, serviceFacts } from './service-facts.js';
import { renderHealth, renderModes } from './services-page.js';
import type { Site } from './site.js';
import { renderTable } from './table.js';
import { createWebPage } from './web-page.js';

interface Model extends ServiceFacts {
  readonly policies: ReturnType<typeof boundKeysOf>;
  /** Rules of its namespace and of the root namespace. Their conditions choose among its requests. */
  readonly rules: readonly ObjectKey[];
}

const MAX_ENDPOINTS = 200;

/** One service: its endpoints, mutual TLS, routes, and the policies that apply to its requests. */
export function servicePage(site: Site): Page {
  return createWebPage<Model>(site, {
    path: '/debug/service',
    title: 'Service',
    description: 'One service: endpoints and health, mutual TLS, routes, policies and quotas',
    parameters: [
      { name: 'host', required: true, choice: { type: 'text' } },
      { name: 'namespace', required: false, choice: { type: 'text' } },
    ],
    model: async (views, { query }) => {
      const context = requireContext(views);
      const host = query.get('host') ?? '';
      const namespace = query.get('namespace');
      for (const service of everyService(context)) {
        if (service.hostname !== host || (namespace && service.namespace !== namespace)) continue;
        const policies = boundKeysOf(resolvePolicyBindings(context), service);
        const rules = rulesOf(context, service.namespace);
        return { ...serviceFacts(context, service, await referrersIn(context)), policies, rules };
      }
      throw new HttpProblem(404, `There is no service ${host.slice(0, 300)}. /debug/services lists all services.`);
    },
    render: renderService,
    json: ({ policies, rules, ...facts }) => recordOf({ ...facts, policies, rules }),
  });
}

function rulesOf({ objects, bindingGrants }: PushContext, namespace: string): readonly ObjectKey[] {
  const { rootNamespace } = bindingGrants;
  return [...(objects.get('rule')?.keys() ?? [])]
    .filter((key) => [namespace, rootNamespace].includes(namespaceOfKey(key)))
    .sort(compareText);
}

function renderService(model: Model): Html {
  const { service, endpoints, mutualTls, namedBy, authorization, policies, rules: policyRules } = model;
  const routes = namedBy.filter((key) => key.startsWith('VirtualService/'));
  const rules = namedBy.filter((key) => key.startsWith('DestinationRule/'));
  return html`<p class="crumb"><a href="/debug/services">Services</a> / <bdi>${service.namespace}</bdi></p>
<div class="lead"><h1><bdi>${service.hostname}</bdi></h1>${renderHealth(model)}</div>
<dl>
<dt>Made of</dt><dd>${objectLink(service.source)}</dd>
<dt>Ports</dt><dd>${joined(service.ports.map(({ number, name, protocol }) => `${number} ${name} (${protocol})`))}</dd>
<dt>Addresses</dt><dd>${joined([...service.addresses, ...(service.autoAddress === undefined ? [] : [service.autoAddress])], service.headless ? 'headless' : 'none')}</dd>
<dt>Seen by</dt><dd>${service.exportTo.includes('*') ? 'all namespaces' : joined(service.exportTo)}</dd>
<dt>Mutual TLS</dt><dd>${renderModes(mutualTls)}</dd>
<dt>Routes</dt><dd>${joined(
    routes.map((key) => objectLink(key)),
    'the default route',
  )}</dd>
<dt>Client rules</dt><dd>${joined(
    rules.map((key) => objectLink(key)),
    'none',
  )}</dd>
<dt>Authorization</dt><dd>${joined(
    authorization.map((key) => objectLink(key)),
    'no policy: all callers are accepted',
  )} · ${linkTo('/debug/calls', { q: service.hostname }, 'who may call it')}</dd>
<dt>Quotas</dt><dd>${joined(
    policies.quotaSpecs.map((key) => objectLink(key)),
    'none',
  )}</dd>
${policies.plans === undefined ? '' : html`<dt>Plans</dt><dd>${joined(policies.plans.map((key) => objectLink(key)))}</dd>`}
<dt>Rules</dt><dd>${joined(
    policyRules.map((key) => objectLink(key)),
    'none',
  )}</dd>
<dt>API</dt><dd>${joined(
    policies.apiSpecs.map((key) => objectLink(key)),
    'none',
  )}</dd>
${policies.missing.length === 0 ? '' : html`<dt>Missing</dt><dd>${joined(policies.missing.map((key) => objectLink(key)))}</dd>`}
</dl>
<h2>Endpoints <small>${count(endpoints.length, 'endpoint')}${endpoints.length > MAX_ENDPOINTS ? `, the first ${MAX_ENDPOINTS}` : ''}</small></h2>
${endpoints.length === 0 ? html`<p class="empty">No endpoint: requests to it fail with 503 until a workload is ready.</p>` : renderEndpoints(endpoints.slice(0, MAX_ENDPOINTS))}`;
}

function renderEndpoints(endpoints: readonly Endpoint[]): Html {
  return renderTable<Endpoint>(
    [
      { head: 'Address', cell: ({ address, port }) => html`<bdi class="name">${address}:${port}</bdi>` },
      { head: 'Port', cell: ({ portName }) => portName },
      {
        head: 'Health',
        cell: ({ health }) =>
          renderBadge(health, health === 'healthy' ? 'good' : health === 'draining' ? 'busy' : 'bad'),
      },
      { head: 'Workload', cell: ({ workloadName }) => workloadName },
      { head: 'Identity', cell: ({ serviceAccount }) => html`<bdi class="id">${serviceAccount}</bdi>` },
      { head: 'Locality', cell: ({ locality }) => locality },
      {
        head: 'Labels',
        cell: ({ labels }) =>
          html`<bdi class="id">${Object.entries(labels)
            .map(([name, value]) => `${name}=${value}`)
            .join(' ')}</bdi>`,
      },
    ],
    endpoints,
  );
}
