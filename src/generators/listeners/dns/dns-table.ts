import { frameField, type MessageEncoder } from '../../../envoy/message-encoder.js';
import type { DnsTable } from '../../../generated/envoy/data/dns/v3/DnsTable.js';
import type { ServiceEndpoints } from '../../../model/endpoint.js';
import type { PushContext } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { inOrderOfRank } from '../../../model/service-order.js';
import { endpointsOf } from '../../../model/snapshot/endpoints-of.js';
import { createMemo } from '../../memo.js';
import { dnsAddresses, dnsNames } from './dns-names.js';

/** Encoded table of what DNS capture answers to proxies of a namespace in a cluster. */
export type DnsTableBuilder = (context: PushContext, namespace: string, cluster: string | undefined) => Buffer;

/** A service's part of a table: its names, and the bytes that answer them. */
interface DnsEntry {
  readonly names: readonly string[];
  readonly addresses: readonly string[];
  readonly bytes: Buffer;
}

/** A service's addresses, for as long as its endpoints stay the same. */
interface DnsAddresses {
  endpoints: ServiceEndpoints | undefined;
  addresses: readonly string[] | undefined;
}

const DNS_TABLE = 'type.googleapis.com/envoy.data.dns.v3.DnsTable';
/** How often a query that is not in the table is repeated to the resolver behind. */
const EXTERNAL_RETRIES = 3;
/** Short, for services move: the shortest that Envoy takes. */
const ANSWER_TTL_SECONDS = 30;

/** Builds tables from entries that are encoded once, for as long as their service and its endpoints stay the same. */
export function createDnsTableBuilder(encoder: MessageEncoder): DnsTableBuilder {
  const addressMemo = createMemo<DnsAddresses>();
  const entryMemo = createMemo<DnsEntry>();
  const head = encoder.encode(DNS_TABLE, { externalRetryCount: EXTERNAL_RETRIES } satisfies DnsTable);

  const addressesOf = (context: PushContext, service: Service): readonly string[] => {
    const endpoints = endpointsOf(context, service);
    const remembered = addressMemo.of([context.mesh, service], '', () => ({ endpoints, addresses: undefined }));
    if (remembered.addresses === undefined || remembered.endpoints !== endpoints) {
      remembered.endpoints = endpoints;
      remembered.addresses = dnsAddresses(context, service);
    }
    return remembered.addresses;
  };

  const entryOf = (context: PushContext, service: Service, sameNamespace: boolean): DnsEntry => {
    const addresses = addressesOf(context, service);
    const key = `${sameNamespace}|${addresses.join()}`;
    return entryMemo.of([context.mesh, service], key, () => {
      const names = dnsNames(service, sameNamespace);
      return { names, addresses, bytes: encodeDomains(encoder, names, addresses) };
    });
  };

  return (context, namespace, cluster) => {
    const entries = context.viewIn(namespace, cluster).services.flatMap((service) => {
      const entry = entryOf(context, service, service.namespace === namespace);
      return entry.addresses.length === 0 ? [] : { service, entry };
    });
    // A name has one answer: that of the oldest service, and of a Service before a ServiceEntry.
    const owners = new Map<string, Service>();
    for (const { service, entry } of inOrderOfRank(entries, ({ service }) => service)) {
      for (const name of entry.names) if (!owners.has(name)) owners.set(name, service);
    }
    const parts: Buffer[] = [head];
    for (const { service, entry } of entries) {
      const free = entry.names.filter((name) => owners.get(name) === service);
      parts.push(free.length === entry.names.length ? entry.bytes : encodeDomains(encoder, free, entry.addresses));
    }
    return Buffer.concat(parts);
  };
}

function encodeDomains(encoder: MessageEncoder, names: readonly string[], addresses: readonly string[]): Buffer {
  if (names.length === 0 || addresses.length === 0) return Buffer.alloc(0);
  return encoder.encode(DNS_TABLE, {
    virtualDomains: names.map((name) => ({
      name,
      answerTtl: { seconds: ANSWER_TTL_SECONDS },
      endpoint: { addressList: { address: [...addresses] } },
    })),
  } satisfies DnsTable);
}

/** Frames an encoded table as the server configuration of a DNS filter. */
export function frameDnsServerConfig(table: Buffer): Buffer {
  const INLINE_DNS_TABLE_FIELD = 1;
  const SERVER_CONFIG_FIELD = 2;
  return frameField(SERVER_CONFIG_FIELD, frameField(INLINE_DNS_TABLE_FIELD, table));
}
