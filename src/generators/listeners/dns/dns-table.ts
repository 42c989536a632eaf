import { frameField, type MessageEncoder } from '../../../envoy/message-encoder.js';
import type { DnsTable } from '../../../generated/envoy/data/dns/v3/DnsTable.js';
import { createMemo } from '../../../model/memo.js';
import type { PushContext, ServiceView } from '../../../model/push-context.js';
import type { Service } from '../../../model/service.js';
import { inOrderOfRank } from '../../../model/service-order.js';
import { endpointsOf } from '../../../model/snapshot/endpoints-of.js';
import { readsEndpoints } from '../outbound/service-bindings.js';
import { dnsAddresses } from './dns-addresses.js';
import { headlessPods } from './headless-pods.js';

/** Encodes the table of DNS answers for proxies of a namespace that see these services. */
export type DnsTableBuilder = (context: PushContext, namespace: string, view: ServiceView) => Buffer;

/** The part of a service in a table: its names, and their encoded answers. */
interface DnsEntry {
  readonly answers: readonly DnsAnswer[];
  readonly bytes: Buffer;
}

interface DnsAnswer {
  readonly name: string;
  readonly addresses: readonly string[];
}

const DNS_TABLE = 'type.googleapis.com/envoy.data.dns.v3.DnsTable';
/** Retries of a forwarded query. */
const EXTERNAL_RETRIES = 3;
/** The shortest that Envoy accepts, because the addresses of services change. */
const ANSWER_TTL_SECONDS = 30;

/** Builds tables from entries that are encoded once, for as long as their service and its endpoints stay the same. */
export function createDnsTableBuilder(encoder: MessageEncoder): DnsTableBuilder {
  const memo = createMemo<DnsEntry>();
  const head = encoder.encode(DNS_TABLE, { externalRetryCount: EXTERNAL_RETRIES } satisfies DnsTable);

  const entryOf = (context: PushContext, service: Service, sameNamespace: boolean): DnsEntry => {
    const endpoints = readsEndpoints(service) ? endpointsOf(context, service) : undefined;
    return memo.of([service, endpoints ?? service], String(sameNamespace), () => {
      const answers = answersOf(context, service, sameNamespace);
      return { answers, bytes: encodeDomains(encoder, answers) };
    });
  };

  return (context, namespace, view) => {
    const entries = view.services.flatMap((service) => {
      const entry = entryOf(context, service, service.namespace === namespace);
      return entry.answers.length === 0 ? [] : { service, entry };
    });
    // The oldest service answers a name, a Service before a ServiceEntry.
    const owners = new Map<string, Service>();
    for (const { service, entry } of inOrderOfRank(entries, ({ service }) => service)) {
      for (const { name } of entry.answers) if (!owners.has(name)) owners.set(name, service);
    }
    const parts: Buffer[] = [head];
    for (const { service, entry } of entries) {
      const free = entry.answers.filter(({ name }) => owners.get(name) === service);
      parts.push(free.length === entry.answers.length ? entry.bytes : encodeDomains(encoder, free));
    }
    return Buffer.concat(parts);
  };
}

/** The names of a service, and those of the pods of a headless one: `<pod>.<name>`. Empty without an address. */
function answersOf(context: PushContext, service: Service, sameNamespace: boolean): readonly DnsAnswer[] {
  const addresses = dnsAddresses(context, service);
  if (addresses.length === 0) return [];
  const pods = headlessPods(context, service);
  return dnsNames(service, sameNamespace).flatMap((name) => [
    { name, addresses },
    ...pods.map(([pod, own]) => ({ name: `${pod.toLowerCase()}.${name}`, addresses: own })),
  ]);
}

function encodeDomains(encoder: MessageEncoder, answers: readonly DnsAnswer[]): Buffer {
  if (answers.length === 0) return Buffer.alloc(0);
  return encoder.encode(DNS_TABLE, {
    virtualDomains: answers.map(({ name, addresses }) => ({
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

/**
 * The DNS names of a service: its host; for orchestrator services also `name.ns`, and the bare name in the same
 * namespace (docs/reference/xds.md#sidecar-listeners). None for wildcard hosts.
 *
 * @param sameNamespace whether the proxy is in the namespace of the service
 */
function dnsNames(service: Service, sameNamespace: boolean): string[] {
  if (service.hostname.startsWith('*')) return [];
  const names = [service.hostname];
  if (service.registry === 'Orchestrator') {
    names.push(`${service.name}.${service.namespace}`);
    if (sameNamespace) names.push(service.name);
  }
  return names.map((name) => name.toLowerCase());
}
