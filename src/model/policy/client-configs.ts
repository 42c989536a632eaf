import type { BoundQuotaSpec } from '../../config/policy/bound-specs.js';
import type { HttpClientConfig, TcpClientConfig } from '../../config/policy/client-config.js';
import type { TransportConfig } from '../../config/policy/transport-config.js';
import type { Proxy } from '../proxy.js';
import type { Service } from '../service.js';
import {
  callAttributesOf,
  filterAttributesOf,
  forwardAttributesOf,
  mergeAttributes,
  type ProxyIdentity,
} from './filter-attributes.js';
import { type Direction, isServiceChecked, type ProxyPolicy } from './proxy-policy.js';
import { boundSpecsOf, type SpecsOf, serviceAttributesOf } from './service-config.js';

/** Name of the default service, and key of its configuration. */
const DEFAULT_SERVICE = 'default';

/** The facts about a proxy that its client configurations are made from. */
export type PolicyProxy = ProxyIdentity & Pick<Proxy, 'type'>;

/**
 * Whether HTTP traffic of that direction needs calls to the policy servers; without any, the filter is left out
 * (docs/reference/policy-client.md#policy-plugin).
 */
export function hasHttpPolicy(policy: ProxyPolicy, direction: Direction): boolean {
  return policy.httpReports || (direction === 'inbound' ? policy.inboundChecks : policy.outboundChecks);
}

/**
 * The configuration of the HTTP client of a proxy (docs/reference/policy-client.md#httpclientconfig;
 * docs/reference/policy-client.md#attributes-of-a-proxy), with the calls that its mesh config and metadata disable.
 * Services have configurations of their own, `serviceConfigOf`.
 *
 * @param targetPort inbound: the target port, where the client serves one port alone
 */
export function httpClientConfigOf(
  policy: ProxyPolicy,
  proxy: PolicyProxy,
  direction: Direction,
  targetPort?: number,
): HttpClientConfig {
  const isChecked = direction === 'inbound' ? policy.inboundChecks : policy.outboundChecks;
  return {
    transport: transportOf(policy, proxy),
    serviceConfigs: {
      [DEFAULT_SERVICE]: {
        disableCheckCalls: !isChecked,
        disableReportCalls: !policy.httpReports,
        httpApiSpec: [],
        quotaSpec: [],
      },
    },
    defaultDestinationService: DEFAULT_SERVICE,
    mixerAttributes: filterAttributesOf(proxy, direction, targetPort),
    ...(direction === 'outbound' && { forwardAttributes: forwardAttributesOf(proxy) }),
    ignoreForwardedAttributes: proxy.type === 'router',
  };
}

/**
 * The configuration of the TCP client of a proxy for connections of one service
 * (docs/reference/policy-client.md#tcpclientconfig; docs/reference/policy-client.md#tcp-clients). It joins the rules of
 * all QuotaSpecs; outbound ones are there only with checks.
 *
 * @param targetPort inbound: the target port
 */
export function tcpClientConfigOf(
  policy: ProxyPolicy,
  proxy: PolicyProxy,
  direction: Direction,
  service: Service,
  bindings: SpecsOf,
  targetPort?: number,
): TcpClientConfig {
  const specs = boundSpecsOf(service, bindings);
  const hasQuotas = direction === 'inbound' || policy.outboundChecks;
  const connectionQuotaSpec = hasQuotas ? mergeSpecs(specs.quotaSpec) : undefined;
  return {
    transport: transportOf(policy, proxy),
    mixerAttributes: mergeAttributes(filterAttributesOf(proxy, direction, targetPort), serviceAttributesOf(service)),
    disableCheckCalls: !isServiceChecked(policy, direction, specs, bindings.isRuled?.(service)),
    disableReportCalls: !policy.tcpReports,
    ...(connectionQuotaSpec && { connectionQuotaSpec }),
    reportInterval: policy.reportInterval,
  };
}

function transportOf(policy: ProxyPolicy, proxy: ProxyIdentity): TransportConfig {
  return { ...policy.transport, attributesForMixerProxy: callAttributesOf(proxy) };
}

function mergeSpecs(specs: readonly BoundQuotaSpec[]): BoundQuotaSpec | undefined {
  return specs.length > 1 ? { rules: specs.flatMap(({ rules }) => rules) } : specs[0];
}
