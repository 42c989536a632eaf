import { appendTo } from '../../base/append-to.js';
import { ipFamilyOf } from '../../base/ip-address.js';
import { dnsAddresses } from '../../generators/listeners/dns/dns-addresses.js';
import type { Endpoint, ServiceEndpoints } from '../../model/endpoint.js';
import { createMemo, memoize } from '../../model/memo.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import { Rcode } from '../query.js';
import type { Answer, OwnAnswer } from '../response.js';
import { type ClientPlace, findMeshName, isLocal, type MeshName, podLabel } from './names.js';

/** Time that clients keep an answer: addresses of pods change, and an answer costs little. */
const TTL_SECONDS = 5;
/** Records of one answer. The addresses of larger services are in random order, so that all are used. */
const MAX_RECORDS = 500;
const SRV_WEIGHT = 100;
/** Types whose answer would lead clients around the address of the mesh: those of addresses, and HTTPS and SVCB. */
const MESH_TYPES: ReadonlySet<string> = new Set(['A', 'AAAA', 'ANY', 'SRV', 'UNKNOWN_64', 'UNKNOWN_65']);

/**
 * Answers a question about a name of the mesh.
 *
 * @param random from 0 to 1
 * @returns undefined if an upstream server has the answer: for names that are not of the mesh, services without an
 *   address of the mesh, and other types than addresses of hosts that also exist outside
 */
export function answerFromMesh(
  context: PushContext,
  client: ClientPlace,
  name: string,
  type: string,
  random: () => number,
): OwnAnswer | undefined {
  const found = findMeshName(context, client, name);
  if (found === undefined) return undefined;
  const { service } = found;
  const zone = isLocal(service) ? context.domain : service.hostname.toLowerCase();
  if (found.type === 'nothing') return negative(zone, found.hasNamesBelow ? Rcode.noError : Rcode.nameError);
  if (!isLocal(service) && !MESH_TYPES.has(type)) return undefined;
  if (found.type === 'port') {
    const records = serviceRecords(context, found, name, random);
    if (records === undefined) return negative(zone, Rcode.nameError);
    return type === 'SRV' || type === 'ANY' ? positive(zone, records.answers, records.additionals) : negative(zone);
  }
  const addresses = found.type === 'pod' ? addressesOf(found.endpoints) : serviceAddresses(context, service);
  // Only the upstream server knows the address of an alias, or of a host that the mesh calls by its name.
  if (addresses.length === 0 && (!isLocal(service) || service.externalName !== undefined)) return undefined;
  return positive(zone, addressRecords(name, shuffled(addresses, random), type), []);
}

/** The records of a named port; undefined if the service has no such port. */
function serviceRecords(
  context: PushContext,
  { service, port: portName, isUdp }: MeshName & { type: 'port' },
  name: string,
  random: () => number,
): { readonly answers: readonly Answer[]; readonly additionals: readonly Answer[] } | undefined {
  const port = service.ports.find((each) => each.name.toLowerCase() === portName);
  if (port === undefined || (port.protocol === 'udp') !== isUdp) return undefined;
  const host = service.hostname.toLowerCase();
  if (!service.headless) {
    const addresses = serviceAddresses(context, service);
    return {
      answers: [serviceRecord(name, host, port.number)],
      additionals: [...addressRecords(host, addresses, 'A'), ...addressRecords(host, addresses, 'AAAA')],
    };
  }
  const endpoints = endpointsOf(context, service);
  const serving = shuffled((endpoints && endpointsByPort(endpoints).get(port.name)) ?? [], random);
  const targets = serving.map((endpoint) => ({ endpoint, target: `${podLabel(endpoint)}.${host}` }));
  return {
    answers: targets.map(({ endpoint, target }) => serviceRecord(name, target, endpoint.port)),
    additionals: targets.flatMap(({ endpoint, target }) => [
      ...addressRecords(target, [endpoint.address], 'A'),
      ...addressRecords(target, [endpoint.address], 'AAAA'),
    ]),
  };
}

/** A service may have thousands of endpoints, and clients ask for it at any rate. */
const endpointsByPort = memoize(({ shards }: ServiceEndpoints): ReadonlyMap<string, readonly Endpoint[]> => {
  const ports = new Map<string, Endpoint[]>();
  for (const endpoints of shards.values()) {
    for (const endpoint of endpoints) appendTo(ports, endpoint.portName, endpoint);
  }
  return ports;
});

const addressMemo = createMemo<readonly string[]>();
const NO_ENDPOINTS = {};

function serviceAddresses(context: PushContext, service: Service): readonly string[] {
  const endpoints = endpointsOf(context, service) ?? NO_ENDPOINTS;
  return addressMemo.of([service, endpoints], '', () => dnsAddresses(context, service));
}

function addressesOf(endpoints: readonly Endpoint[]): readonly string[] {
  return [...new Set(endpoints.map(({ address }) => address))];
}

/** Of one family. ANY gets the records of one type, as RFC 8482 allows. */
function addressRecords(name: string, addresses: readonly string[], type: string): readonly Answer[] {
  const ofFamily = (family: 4 | 6) => addresses.filter((address) => ipFamilyOf(address) === family);
  const isIpv6 = type === 'AAAA' || (type === 'ANY' && ofFamily(4).length === 0);
  if (!isIpv6 && type !== 'A' && type !== 'ANY') return [];
  return ofFamily(isIpv6 ? 6 : 4)
    .slice(0, MAX_RECORDS)
    .map((data) => ({ type: isIpv6 ? 'AAAA' : 'A', name, ttl: TTL_SECONDS, data }));
}

function serviceRecord(name: string, target: string, port: number): Answer {
  return { type: 'SRV', name, ttl: TTL_SECONDS, data: { priority: 0, weight: SRV_WEIGHT, port, target } };
}

function positive(zone: string, answers: readonly Answer[], additionals: readonly Answer[]): OwnAnswer {
  if (answers.length === 0) return negative(zone);
  return { rcode: Rcode.noError, authoritative: true, answers, authorities: [], additionals };
}

/** No such name, or no record of the type. The SOA record says for how long. */
export function negative(
  zone: string,
  rcode: typeof Rcode.noError | typeof Rcode.nameError = Rcode.noError,
): OwnAnswer {
  const soa: Answer = {
    type: 'SOA',
    name: zone,
    ttl: TTL_SECONDS,
    data: {
      mname: `ns.dns.${zone}`,
      rname: `hostmaster.${zone}`,
      serial: 1,
      refresh: 7200,
      retry: 1800,
      expire: 86_400,
      minimum: TTL_SECONDS,
    },
  };
  return { rcode, authoritative: true, answers: [], authorities: [soa], additionals: [] };
}

function shuffled<Item>(items: readonly Item[], random: () => number): readonly Item[] {
  const mixed = [...items];
  const count = Math.min(mixed.length, MAX_RECORDS);
  for (let index = 0; index < count; index++) {
    const other = index + Math.floor(random() * (mixed.length - index));
    [mixed[index], mixed[other]] = [mixed[other] as Item, mixed[index] as Item];
  }
  return mixed.slice(0, count);
}
