import protobuf from 'protobufjs';
import { lazy } from '../../base/lazy.js';
import type { Steps } from '../../base/steps.js';
import { adsConfigSource } from '../../envoy/config-source.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import { frameField, frameResource, type MessageEncoder } from '../../envoy/message-encoder.js';
import { resourceMessage } from '../../envoy/resource-message.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import { virtualHostName } from '../../envoy/virtual-host-names.js';
import { createMemo, memoize } from '../../model/memo.js';
import { ComposedTable, type TableHost } from '../routes/composed-table.js';
import { createSweptMemory, type SweptMemory } from '../swept-memory.js';
import { contentOf, indexDomains } from './domain-index.js';

/** A route table in parts. */
export interface SplitTable {
  /** The table without its virtual hosts, which it lets the proxy ask for. */
  readonly head: EncodedResource;
  /** The virtual hosts, as resources. */
  hosts(): Steps<readonly EncodedResource[]>;
  /** The answer to a proxy that has no virtual host. Envoy uses no table before it gets a virtual host of it. */
  readonly none: EncodedResource;
  /** The virtual host that takes requests for a host, for that host alone; undefined if the table has none. */
  hostFor(host: string): EncodedResource | undefined;
}

/** Virtual hosts that are made in one step. */
const HOSTS_AT_ONCE = 128;
/** RouteConfiguration.virtual_hosts, as a tag on the wire. */
const VIRTUAL_HOSTS_TAG = 0x12;
/** VirtualHost.name, as a field number and as a tag. */
const NAME = 1;
const NAME_TAG = 0x0a;
/** VirtualHost.domains */
const DOMAIN = 2;
const DOMAIN_TAG = 0x12;

/**
 * Splits route tables, each once. A virtual host that did not change is the same resource in the next table.
 *
 * @param initialFetchTimeoutMs how long the proxy waits for the virtual hosts of a table; 0 means no limit
 */
export function createTableSplitter(
  encoder: MessageEncoder,
  initialFetchTimeoutMs: number,
): (table: EncodedResource) => SplitTable {
  const vhds = encoder.encode(TypeUrl.route, { vhds: { configSource: adsConfigSource(initialFetchTimeoutMs) } });
  const noHost = frameField(2, encoder.encode(TypeUrl.virtualHost, { name: 'none', domains: ['none.invalid'] }));
  const resources = createMemo<EncodedResource>();
  const resourceOf = (host: TableHost, table: string): EncodedResource =>
    resources.of([host], table, () => encodeHost(virtualHostName(table, host.name), host.field));
  /** By virtual host: those for one host each. Proxies can ask for any host, and a virtual host may never change. */
  const asked = createMemo<SweptMemory<EncodedResource>>();
  const hostIn = (field: Buffer, resource: string, host: string): EncodedResource => {
    const memory = asked.of([field], '', () => createSweptMemory());
    const known = memory.get(resource);
    if (known !== undefined) return known;
    const made = encodeHost(resource, field, host);
    memory.keep(resource, made);
    return made;
  };
  return memoize((table) => {
    const { head, hosts: own } = table instanceof ComposedTable ? table : readTable(table);
    // Envoy uses no table before it gets a virtual host of it, and patches can remove all.
    const none = encodeHost(virtualHostName(table.name, 'none'), noHost);
    const indexed = lazy(() => indexDomains(own));
    const { patches } = table;
    const withPatches = (part: EncodedResource): EncodedResource =>
      patches === undefined ? part : { ...part, patches };
    return {
      head: withPatches(frameResource(TypeUrl.route, table.name, Buffer.concat([head, vhds]))),
      *hosts() {
        if (own.length === 0) return [none];
        const taken = new Set<string>();
        const hosts: EncodedResource[] = [];
        for (const host of own) {
          hosts.push(withPatches(untaken(resourceOf(host, table.name), host.field, taken)));
          if (hosts.length % HOSTS_AT_ONCE === 0) yield;
        }
        return hosts;
      },
      none,
      hostFor: (host) => {
        const field = indexed().find(host);
        const resource = virtualHostName(table.name, host);
        return field && withPatches(hostIn(field, resource, host));
      },
    };
  });
}

/** The parts of a table that patches have changed. */
function readTable(table: EncodedResource): Pick<ComposedTable, 'head' | 'hosts'> {
  const message = resourceMessage(table);
  const reader = protobuf.Reader.create(message);
  const hosts: TableHost[] = [];
  const rest: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    reader.skipType(tag & 7);
    const field = Buffer.from(message.subarray(start, reader.pos));
    if (tag === VIRTUAL_HOSTS_TAG) hosts.push({ name: nameIn(contentOf(field)), field });
    else rest.push(field);
  }
  return { head: Buffer.concat(rest), hosts };
}

/** Patches can give two virtual hosts of a table one name. Resources need different ones. */
function untaken(resource: EncodedResource, field: Buffer, taken: Set<string>): EncodedResource {
  let own = resource.name;
  for (let copy = 2; taken.has(own); copy++) own = `${resource.name}~${copy}`;
  taken.add(own);
  return own === resource.name ? resource : encodeHost(own, field);
}

/**
 * Envoy removes virtual hosts by the names of their resources, so a virtual host has the name of its resource.
 *
 * @param domain the only domain; default: those of the field
 */
function encodeHost(name: string, field: Buffer, domain?: string): EncodedResource {
  const message = contentOf(field);
  const reader = protobuf.Reader.create(message);
  const pieces: Uint8Array[] = [frameField(NAME, Buffer.from(name))];
  while (reader.pos < reader.len) {
    const start = reader.pos;
    const tag = reader.uint32();
    reader.skipType(tag & 7);
    if (tag === NAME_TAG || (tag === DOMAIN_TAG && domain !== undefined)) continue;
    pieces.push(message.subarray(start, reader.pos));
  }
  if (domain !== undefined) pieces.push(frameField(DOMAIN, Buffer.from(domain)));
  return frameResource(TypeUrl.virtualHost, name, Buffer.concat(pieces));
}

function nameIn(host: Uint8Array): string {
  const reader = protobuf.Reader.create(host);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === NAME_TAG) return reader.string();
    reader.skipType(tag & 7);
  }
  return '';
}
