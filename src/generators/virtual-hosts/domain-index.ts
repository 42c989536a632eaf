import protobuf from 'protobufjs';
import { memoize } from '../../model/memo.js';
import type { TableHost } from '../routes/composed-table.js';

/** Finds the virtual host of a route table that takes requests for a host, as Envoy does. */
export interface DomainIndex {
  /** @param host in lower case, with the port where the request has one. @returns the field of the virtual host */
  find(host: string): Buffer | undefined;
}

/** VirtualHost.domains, as a tag on the wire. */
const DOMAIN_TAG = 0x12;

export function indexDomains(hosts: readonly TableHost[]): DomainIndex {
  const exact = new Map<string, Buffer>();
  /** Longest first. */
  const suffixes: (readonly [string, Buffer])[] = [];
  const prefixes: (readonly [string, Buffer])[] = [];
  for (const { field } of hosts) {
    for (const domain of domainsOf(field)) {
      if (domain === '*' || !domain.includes('*')) exact.set(domain, field);
      else if (domain.startsWith('*')) suffixes.push([domain.slice(1), field]);
      else prefixes.push([domain.slice(0, -1), field]);
    }
  }
  for (const list of [suffixes, prefixes]) list.sort(([first], [second]) => second.length - first.length);
  return {
    find: (host) =>
      exact.get(host) ??
      suffixes.find(([suffix]) => host.length > suffix.length && host.endsWith(suffix))?.[1] ??
      prefixes.find(([prefix]) => host.length > prefix.length && host.startsWith(prefix))?.[1] ??
      exact.get('*'),
  };
}

/** Virtual hosts stay the same from table to table. */
const domainsOf = memoize((field: Buffer): readonly string[] => {
  const reader = protobuf.Reader.create(contentOf(field));
  const domains: string[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === DOMAIN_TAG) domains.push(reader.string().toLowerCase());
    else reader.skipType(tag & 7);
  }
  return domains;
});

/** The message in a field. */
export function contentOf(field: Uint8Array): Uint8Array {
  const reader = protobuf.Reader.create(field);
  reader.uint32();
  return reader.bytes();
}
