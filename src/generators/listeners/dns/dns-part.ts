import { socketAddress } from '../../../envoy/addresses.js';
import { duration } from '../../../envoy/durations.js';
import { composeListener, type ListenerParts } from '../../../envoy/listener-bytes.js';
import type { MessageEncoder } from '../../../envoy/message-encoder.js';
import type { DnsFilterConfig } from '../../../generated/envoy/extensions/filters/udp/dns_filter/v3/DnsFilterConfig.js';
import type { ServiceView } from '../../../model/push-context.js';
import { type AddressFamilies, addressFamiliesOf, wildcardAddresses } from '../../address-families.js';
import type { ResourcePart, Scope } from '../../generator.js';
import { createDnsTableBuilder, frameDnsServerConfig } from './dns-table.js';

export interface DnsScope extends Scope {
  readonly namespace: string;
  readonly view: ServiceView;
  readonly families: AddressFamilies;
}

const DNS_FILTER_CONFIG = 'type.googleapis.com/envoy.extensions.filters.udp.dns_filter.v3.DnsFilterConfig';
const CARES_RESOLVER = 'type.googleapis.com/envoy.extensions.network.dns_resolver.cares.v3.CaresDnsResolverConfig';
const DNS_LISTENER = 'dns';
const DNS_PORT = 15013;
const RESOLVER_TIMEOUT_MS = 5000;
const MAX_PENDING_LOOKUPS = 256;

/**
 * The UDP listener that answers captured DNS queries for the services of the view (metadata DNS_CAPTURE;
 * docs/reference/xds.md#sidecar-listeners). It forwards other queries to the resolver of the host.
 */
export function createDnsPart(encoder: MessageEncoder): ResourcePart<DnsScope> {
  const buildTable = createDnsTableBuilder(encoder);
  const config: DnsFilterConfig = {
    statPrefix: DNS_LISTENER,
    clientConfig: {
      resolverTimeout: duration(RESOLVER_TIMEOUT_MS),
      maxPendingLookups: MAX_PENDING_LOOKUPS,
      // Without addresses it reads the host's resolv.conf.
      typedDnsResolverConfig: {
        name: 'envoy.network.dns_resolver.cares',
        typedConfig: encoder.packAny(CARES_RESOLVER, {}),
      },
    },
  };
  return {
    name: 'dns',
    scope: (context, proxy) => {
      if (proxy.type !== 'sidecar' || !proxy.metadata.dnsCapture) return undefined;
      const namespace = proxy.configNamespace;
      const families = addressFamiliesOf(proxy.ipAddresses);
      const view = context.trafficOf(proxy).services;
      const key = `${view.id}|${namespace}|${wildcardAddresses(families).join()}`;
      return { key, namespace, view, families };
    },
    generate: (context, { namespace, view, families }) => {
      const [wildcard, ...additional] = wildcardAddresses(families);
      const table = frameDnsServerConfig(buildTable(context, namespace, view));
      const value = Buffer.concat([encoder.encode(DNS_FILTER_CONFIG, config), table]);
      const head: ListenerParts['head'] = {
        name: DNS_LISTENER,
        address: socketAddress(wildcard, DNS_PORT, 'UDP'),
        additionalAddresses: additional.map((it) => ({ address: socketAddress(it, DNS_PORT, 'UDP') })),
        udpListenerConfig: {},
        listenerFilters: [
          { name: 'envoy.filters.udp.dns_filter', typedConfig: { type_url: DNS_FILTER_CONFIG, value } },
        ],
        trafficDirection: 'OUTBOUND',
      };
      return { resources: [composeListener(encoder, { head, chains: [] })], findings: [] };
    },
  };
}
