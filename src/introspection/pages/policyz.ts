import { namespaceOfKey, type ObjectKey } from '../../config/object.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { Json, MessageJson } from '../../envoy/message-json.js';
import { grantCommand } from '../../model/policy/binding-grants.js';
import { boundKeysOf, uncheckedReason, unreportedReason } from '../../model/policy/explain-policy.js';
import { ownFailPolicyOf } from '../../model/policy/own-fail-policy.js';
import { resolvePolicyBindings } from '../../model/policy/policy-bindings.js';
import { checkServerOf } from '../../model/policy/policy-servers.js';
import { proxyPolicyOf } from '../../model/policy/proxy-policy.js';
import { decides } from '../../model/policy/rules/ruled-services.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { servedPorts } from '../../model/served-ports.js';
import type { Service } from '../../model/service.js';
import { findProxy, PROXY_ID } from '../find-proxy.js';
import { JsonRecord, type JsonSource, recordOf } from '../json-source.js';
import { json, type Page } from '../page.js';
import type { PolicyConfigs } from '../views.js';
import { requireContext } from '../views.js';

type Fields = { readonly [key: string]: Json };

const PLUGIN_OFF = '--plugins does not name policy';
const NO_CONFIGS: PolicyConfigs = { http: [], tcp: [], services: [] };

/**
 * Shows whether a proxy checks and reports, or the reason why not, the specs that apply to its services, and its client
 * configurations (docs/policies.md).
 */
export const policyz: Page = {
  path: '/debug/policyz',
  description:
    'Whether one proxy checks and reports, or why not; the QuotaSpecs, HTTPAPISpecs and rules of its services; its client configuration',
  audience: 'operator',
  parameters: [PROXY_ID],
  handle: (views, { query }) => {
    const { id, proxy } = findProxy(views, query);
    const context = requireContext(views);
    const configs = views.policyConfigsOf(id);
    const { messageJson } = views;
    return json(
      recordOf({
        proxy: proxy.id,
        ...explanation(context, proxy, configs === undefined ? PLUGIN_OFF : undefined),
        httpClientConfigs: httpClientConfigs(
          messageJson,
          configs ?? NO_CONFIGS,
          servicesOf(context, proxy).map(({ hostname }) => hostname),
        ),
        tcpClientConfigs: byName(messageJson, configs?.tcp ?? []),
      }),
    );
  },
};

/** @param whyNothing why there is no policy; undefined: there is */
function explanation(context: PushContext, proxy: Proxy, whyNothing: string | undefined): Record<string, JsonSource> {
  const { mesh } = context;
  const bindings = resolvePolicyBindings(context);
  const inbound = whyNothing ?? uncheckedReason(mesh, proxy, 'inbound');
  const isEmbedded = checkServerOf(mesh)?.type === 'embedded';
  const rulesOf = rulesThatDecide(context);
  const ports = servedPorts(context.targetsOf(proxy));
  const services = servicesOf(context, proxy).map((service) => {
    const { isNamed, missing, notGranted, ...specs } = boundKeysOf(bindings, service);
    const rules = rulesOf(service.namespace);
    const unbound = isEmbedded && !isNamed && rules.length === 0 ? whyUnbound(notGranted) : undefined;
    const shadowed = shadowedPorts(ports, service.hostname);
    const failPolicy = ownFailPolicyOf(service, mesh.policy);
    return {
      service: service.hostname,
      checks: state(inbound ?? shadowed.why ?? unbound),
      ...specs,
      rules,
      ...(failPolicy && { networkFailPolicy: { ...failPolicy, annotatedBy: service.source } }),
      ...(missing.length > 0 && { missing }),
      ...(notGranted.length > 0 && {
        notGranted: notGranted.map((binding) => ({ binding, grant: grantOf(context, binding, service) })),
      }),
      ...(shadowed.ports.length > 0 && { shadowed: shadowed.ports }),
    };
  });
  return {
    checks: {
      inbound: state(inbound),
      outbound: state(whyNothing ?? uncheckedReason(mesh, proxy, 'outbound')),
      server: mesh.policy.mixerCheckServer,
      failPolicy: proxyPolicyOf(mesh, proxy)?.transport.networkFailPolicy.policy ?? null,
    },
    reports: {
      http: state(whyNothing ?? unreportedReason(mesh, 'http')),
      tcp: state(whyNothing ?? unreportedReason(mesh, 'tcp')),
      server: mesh.policy.mixerReportServer,
    },
    services,
  };
}

/** The ports on which the workload serves an older service instead. `why` is set if the service has no other port. */
function shadowedPorts({ served, shadowed }: ReturnType<typeof servedPorts>, hostname: string) {
  const ports = shadowed
    .filter(({ target }) => target.service.hostname === hostname)
    .map(({ target, by }) => ({ port: target.targetPort, servedFor: by.service.hostname }));
  const isServed = [...served.values()].some(({ service }) => service.hostname === hostname);
  const why =
    ports.length === 0 || isServed
      ? undefined
      : ports.map(({ port, servedFor }) => `port ${port} belongs to the older service ${servedFor}`).join(', ');
  return { ports, why };
}

/** The rules that decide about requests to services of a namespace, by key. */
function rulesThatDecide(context: PushContext): (namespace: string) => readonly ObjectKey[] {
  const { rootNamespace } = context.bindingGrants;
  const deciding = [...(context.objects.get('rule') ?? [])].filter(([, rule]) => decides(rule, context));
  return (namespace) =>
    deciding
      .filter(([, { metadata }]) => metadata.namespace === namespace || metadata.namespace === rootNamespace)
      .map(([key]) => key)
      .sort();
}

function state(whyNot: string | undefined): object {
  return whyNot === undefined ? { on: true } : { on: false, why: whyNot };
}

function whyUnbound(notGranted: readonly ObjectKey[]): string {
  return notGranted.length === 0
    ? 'no QuotaSpecBinding, HTTPAPISpecBinding or Plan names the service, and no rule checks its requests'
    : 'the namespace of the service has granted no binding that names it';
}

/** The command with which the owner of a service's namespace permits a binding. */
function grantOf({ bindingGrants }: PushContext, binding: ObjectKey, { namespace }: Service): string {
  return grantCommand(bindingGrants, namespace, namespaceOfKey(binding));
}

/** The services of the workload, one per host. */
function servicesOf(context: PushContext, proxy: Proxy): readonly Service[] {
  return [...new Map(context.targetsOf(proxy).map(({ service }) => [service.hostname, service])).values()];
}

/** The configurations by direction. `inbound` includes those of the workload's services, which are separate resources. */
function httpClientConfigs(
  messageJson: MessageJson,
  { http, services }: PolicyConfigs,
  own: readonly string[],
): Fields {
  const hosts = new Set(own);
  const ofServices = Object.fromEntries(
    services.filter(({ name }) => hosts.has(name)).map((resource) => [resource.name, contentOf(messageJson, resource)]),
  );
  return Object.fromEntries(
    http.map((resource) => {
      const config = contentOf(messageJson, resource);
      if (resource.name !== 'inbound') return [resource.name, config];
      return [resource.name, { ...config, serviceConfigs: { ...(config['serviceConfigs'] as Fields), ...ofServices } }];
    }),
  );
}

function byName(messageJson: MessageJson, resources: readonly EncodedResource[]): JsonRecord {
  return new JsonRecord(
    (function* () {
      for (const resource of resources) yield [resource.name, contentOf(messageJson, resource)] as const;
    })(),
  );
}

/** The message inside the resource wrapper. */
function contentOf(messageJson: MessageJson, resource: EncodedResource): { [key: string]: Json } {
  const { resource: packed } = messageJson.resourceToJson(resource) as Fields;
  const { '@type': _type, ...content } = packed as Fields;
  return content;
}
