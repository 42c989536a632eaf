import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { frameField, frameResource, type MessageEncoder } from '../../envoy/message-encoder.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { createMemo } from '../../model/memo.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { inOrderOfRank } from '../../model/service-order.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import { listenersAffectedBy } from '../affected-by.js';
import type { ResourcePart, Scope, WildcardGenerator } from '../generator.js';
import { dnsAddresses } from '../listeners/dns/dns-addresses.js';
import { headlessPods } from '../listeners/dns/headless-pods.js';
import { readsEndpoints } from '../listeners/outbound/service-bindings.js';

export interface NameTableScope extends Scope {
  readonly view: ServiceView;
}

/** Name of the only resource of the type. */
const NAME_TABLE = 'names';

/** `NameTable.table`, a map: each entry is a message with a key and a value. */
const TABLE_FIELD = 1;

interface NameInfo {
  readonly ips: readonly string[];
  readonly registry: string;
  readonly shortname?: string;
  readonly namespace?: string;
}

/** One name of a service, encoded as an entry of the table. */
interface NameEntry {
  readonly name: string;
  readonly bytes: Buffer;
}

/**
 * The names that a proxy's workload can call, for its DNS proxy (NDS; docs/reference/xds.md#name-table): the hosts of the
 * services that it sees, and of headless ones each pod with a host name. The names of a service are encoded once, for as
 * long as it and its endpoints stay the same.
 */
export function createNameTableGenerator(encoder: MessageEncoder): WildcardGenerator {
  const memo = createMemo<readonly NameEntry[]>();

  const encode = (name: string, info: NameInfo): NameEntry => {
    const key = name.toLowerCase();
    const value = encoder.encode(NAME_INFO, info);
    const entry = Buffer.concat([frameField(1, Buffer.from(key)), frameField(2, value)]);
    return { name: key, bytes: frameField(TABLE_FIELD, entry) };
  };

  const entriesOf = (context: PushContext, service: Service): readonly NameEntry[] => {
    const endpoints = readsEndpoints(service) ? endpointsOf(context, service) : undefined;
    return memo.of([service, endpoints ?? service], '', () => {
      const ips = dnsAddresses(context, service);
      if (service.hostname.startsWith('*') || ips.length === 0) return [];
      const { registry, name, namespace } = service;
      if (registry !== 'Orchestrator') return [encode(service.hostname, { ips, registry })];
      const entries = [encode(service.hostname, { ips, registry, shortname: name, namespace })];
      for (const [pod, addresses] of headlessPods(context, service)) {
        const info = { ips: addresses, registry, shortname: `${pod}.${name}`, namespace };
        entries.push(encode(`${pod}.${service.hostname}`, info));
      }
      return entries;
    });
  };

  const part: ResourcePart<NameTableScope> = {
    name: 'names',
    scope: (context, proxy) => {
      const view = context.trafficOf(proxy).services;
      return { key: view.id, view };
    },
    generate: (context, { view }) => {
      const seen = new Set<string>();
      const entries: NameEntry[] = [];
      // The first service in the order of precedence answers a name, as in the DNS listener.
      for (const service of inOrderOfRank(view.services, (each) => each)) {
        for (const entry of entriesOf(context, service)) {
          if (seen.has(entry.name)) continue;
          seen.add(entry.name);
          entries.push(entry);
        }
      }
      entries.sort((first, second) => (first.name < second.name ? -1 : 1));
      const table = Buffer.concat(entries.map(({ bytes }) => bytes));
      const resources: readonly EncodedResource[] = [frameResource(TypeUrl.nameTable, NAME_TABLE, table)];
      return { resources, findings: [] };
    },
  };

  return {
    mode: 'wildcard',
    typeUrl: TypeUrl.nameTable,
    parts: [part],
    // The answers of listeners have the same addresses.
    affectedBy: (request, _proxyType, context) => listenersAffectedBy(request, 'sidecar', context),
  };
}

const NAME_INFO = 'mesh.nds.v1.NameTable.NameInfo';
