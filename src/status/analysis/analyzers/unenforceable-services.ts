import { isIpAddress } from '../../../base/ip-address.js';
import { keyOf, type MeshObject } from '../../../config/object.js';
import type { PlanSpec } from '../../../config/plans/plan.js';
import type { QuotaSpec } from '../../../config/policy/quota-spec.js';
import type { ResolvedBinding } from '../../../model/policy/resolve-bindings.js';
import type { Port, Protocol, Service } from '../../../model/service.js';
import { endpointsOf } from '../../../model/snapshot/endpoints-of.js';
import { type EndpointAnalysisInput, type EndpointAnalyzer, mayLackProxies, namedServices } from '../analysis-input.js';
import { type AnalysisMessage, createMessage } from '../analysis-message.js';
import { canHoldFor } from '../clause-protocols.js';

const HTTP: ReadonlySet<Protocol> = new Set<Protocol>(['http', 'http2', 'grpc', 'grpc-web', 'auto']);

/**
 * Services of bindings to which no spec of the binding can apply, because of their ports or because they are external.
 */
export const findUnenforceableServices: EndpointAnalyzer = (input) => {
  const { bindings, mesh } = input;
  const isCallerChecked = mesh.policy.enableClientSidePolicyCheck;
  const found = (resolved: ResolvedBinding, why: WhyUnenforceable): readonly AnalysisMessage[] =>
    resolved.services.flatMap(({ pattern }, index) => {
      let first: Service | undefined;
      let canApply = false;
      let isChecked = isCallerChecked;
      // A wildcard is in order if the specs can apply to one of its services, and proxies check one of them.
      for (const service of namedServices(input, pattern)) {
        if (!resolved.actsOn(service.namespace)) continue;
        first ??= service;
        canApply ||= why(service) === undefined;
        isChecked ||= canHaveProxy(input, service);
        if (canApply && isChecked) return [];
      }
      if (first === undefined) return [];
      const where = { object: keyOf(resolved.binding), field: `spec.services[${index}]` };
      return canApply ? external(where, first) : createMessage('wrongProtocol', where, why(first) ?? '');
    });
  return [
    ...bindings.quotas.bindings.flatMap((resolved) => {
      const rules = rulesOf(resolved);
      return found(resolved, (service) => whyNoQuotas(service, rules));
    }),
    ...bindings.apis.bindings.flatMap((resolved) => found(resolved, whyNoApi)),
    ...bindings.plans.bindings.flatMap((resolved) => {
      const { anonymous } = resolved.binding.body as PlanSpec;
      return found(resolved, (service) => (anonymous === 'never' ? whyNoKey(service) : undefined));
    }),
  ];
};

/** Undefined if a spec can apply to the service. */
type WhyUnenforceable = (service: Service) => string | undefined;

function external(where: Pick<AnalysisMessage, 'object' | 'field'>, { hostname }: Service): AnalysisMessage {
  const text = `${hostname} is outside the mesh, and enableClientSidePolicyCheck of the mesh config is false, so sidecars send requests to it without a check`;
  return createMessage('externalService', where, text);
}

/** An endpoint can have a sidecar only if it is an IP address. */
function canHaveProxy(input: Pick<EndpointAnalysisInput, 'endpoints'>, service: Service): boolean {
  if (!mayLackProxies(service)) return true;
  const shards = endpointsOf(input, service)?.shards.values() ?? [];
  return [...shards].flat().some(({ address }) => isIpAddress(address));
}

/** The protocols to which the rules of a binding's specs can apply. */
interface Rules {
  readonly areMissing: boolean;
  readonly http: boolean;
  readonly tcp: boolean;
}

function rulesOf({ references }: ResolvedBinding): Rules {
  const rules = references.flatMap(({ spec }) =>
    spec === undefined ? [] : ((spec as MeshObject).body as QuotaSpec).rules,
  );
  const canHold = (kind: 'http' | 'tcp'): boolean => rules.some((rule) => canHoldFor(rule, kind));
  return { areMissing: rules.length === 0, http: canHold('http'), tcp: canHold('tcp') };
}

function whyNoQuotas({ hostname, ports }: Service, { areMissing, http, tcp }: Rules): string | undefined {
  if (ports.every(({ protocol }) => protocol === 'udp')) {
    return `${hostname} has no TCP or HTTP port (${portsOf(ports)}), so nothing is charged`;
  }
  const canCharge = ({ protocol }: Port): boolean => (http && HTTP.has(protocol)) || (tcp && isTcp(protocol));
  if (areMissing || ports.some(canCharge)) return undefined;
  return `${hostname} has the ports ${portsOf(ports)}, and all rules are for ${http ? 'HTTP requests' : 'TCP connections'}`;
}

function whyNoApi({ hostname, ports }: Service): string | undefined {
  if (ports.some(({ protocol }) => HTTP.has(protocol))) return undefined;
  return `${hostname} has no HTTP port (${portsOf(ports)}), so no request gets API attributes`;
}

function whyNoKey({ hostname, ports }: Service): string | undefined {
  if (ports.some(({ protocol }) => HTTP.has(protocol))) return undefined;
  return `${hostname} has no HTTP port (${portsOf(ports)}), and a connection has no key, so all are refused`;
}

function isTcp(protocol: Protocol): boolean {
  return protocol === 'auto' || (protocol !== 'udp' && !HTTP.has(protocol));
}

function portsOf(ports: Service['ports']): string {
  return ports.map(({ number, protocol }) => `${number} ${protocol}`).join(', ') || 'it has no ports';
}
