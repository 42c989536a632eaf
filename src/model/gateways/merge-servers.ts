import type { ObjectKey } from '../../config/object.js';
import type { ServiceTarget } from '../proxy.js';
import type { SelectedGateways } from './gateway-index.js';
import {
  type GatewayServer,
  type ServerHost,
  type ServerTraffic,
  serverField,
  trafficOfServer,
} from './gateway-server.js';
import { mayShareHost } from './operator-hosts.js';

/** An address and port that a router listens on, with all servers there. */
export interface RouterPort {
  /** IP address; empty for all. */
  readonly bind: string;
  /** The port that the router listens on. */
  readonly port: number;
  /**
   * `http`: plaintext requests of all servers in one route table. `tls`: each server has connections of its own server
   * names. `tcp`: bytes of the only server.
   */
  readonly kind: 'http' | 'tls' | 'tcp';
  readonly servers: readonly MergedServer[];
}

/** A server with the hosts that no other server had before it. */
export interface MergedServer extends GatewayServer {
  readonly traffic: ServerTraffic;
  /** Whether its Gateway is of the router's namespace or of the root namespace. */
  readonly trusted: boolean;
}

/** A server, or one host of it, that another server displaces. */
export interface ServerConflict {
  readonly object: ObjectKey;
  readonly gateway: string;
  /** The field of the object. */
  readonly field: string;
  readonly message: string;
}

/** The ports of a router. */
export interface RouterPorts {
  readonly ports: readonly RouterPort[];
  readonly conflicts: readonly ServerConflict[];
}

/** Hosts of all servers of a router: each is in a virtual host or in the condition of a filter chain. */
export const MAX_ROUTER_HOSTS = 10_000;

interface OpenPort {
  readonly bind: string;
  readonly port: number;
  readonly kind: RouterPort['kind'];
  readonly servers: MergedServer[];
  /** Hosts of TLS servers, with the server that takes each. */
  readonly taken: Map<string, GatewayServer>;
}

/**
 * Merges the servers of all Gateways of a router by the port that it listens on. The first server decides whether a port
 * takes plaintext requests, bytes or TLS; each TLS host belongs to the first server that names it.
 *
 * @param targets of the router's workload: its services may give it other ports than their clients see
 */
export function mergeServers({ gateways, trusted }: SelectedGateways, targets: readonly ServiceTarget[]): RouterPorts {
  const open = new Map<string, OpenPort>();
  const conflicts: ServerConflict[] = [];
  let hosts = 0;
  const foreign = new Set(gateways.slice(trusted).flatMap((gateway) => gateway.servers));
  for (const server of gateways.flatMap((gateway) => gateway.servers)) {
    const trusted = !foreign.has(server);
    const reached = trusted ? undefined : partOfRouter(server);
    if (reached !== undefined) {
      conflicts.push(conflict(server, reached.field, reached.message));
      continue;
    }
    hosts += server.hosts.length;
    if (hosts > MAX_ROUTER_HOSTS) {
      conflicts.push(
        conflict(server, '', `is one of too many: the servers of a router have at most ${MAX_ROUTER_HOSTS} hosts`),
      );
      continue;
    }
    for (const port of listeningPorts(server, targets)) {
      const user = OWN_PORTS.get(port);
      if (user !== undefined) {
        conflicts.push(
          conflict(server, '.port', `leads to port ${port} of the router, which is for ${user}; use another port`),
        );
        continue;
      }
      const bind = WILDCARDS.has(server.bind) ? '' : server.bind;
      const key = `${bind}|${port}`;
      const known = open.get(key);
      const kind = kindOf(server);
      if (known === undefined) {
        const added: OpenPort = { bind, port, kind, servers: [], taken: new Map() };
        open.set(key, added);
        add(added, server, trusted, conflicts);
      } else if (known.kind !== kind || kind === 'tcp') {
        conflicts.push(portConflict(server, kind, known));
      } else {
        add(known, server, trusted, conflicts);
      }
    }
  }
  const ports = [...open.values()].map(({ bind, port, kind, servers }) => ({ bind, port, kind, servers }));
  return { ports: ports.filter(({ servers }) => servers.length > 0), conflicts };
}

function add(port: OpenPort, server: GatewayServer, trusted: boolean, conflicts: ServerConflict[]): void {
  const traffic = trafficOfServer(server);
  const operators = port.servers.filter((known) => known.trusted);
  const kept: ServerHost[] = [];
  for (const each of server.hosts) {
    if (!trusted && !mayShareHost(operators, each.host, server.author)) {
      conflicts.push(conflict(server, '.hosts', `has host ${each.host}, ${RESERVED}`));
      continue;
    }
    if (port.kind !== 'tls') {
      kept.push(each);
      continue;
    }
    const owner = port.taken.get(each.host);
    if (owner === undefined || owner === server) {
      port.taken.set(each.host, server);
      kept.push(each);
    } else {
      conflicts.push(hostConflict(server, each, owner));
    }
  }
  if (kept.length > 0) port.servers.push({ ...server, hosts: kept, traffic, trusted });
}

/** Ports that a router serves by its bootstrap. Envoy rejects a listener at one of them. */
const OWN_PORTS: ReadonlyMap<number, string> = new Map([
  [15000, 'its admin interface'],
  [15020, 'its status'],
  [15021, 'its readiness'],
  [15090, 'its metrics'],
]);

/** All addresses; Envoy rejects two listeners for them. */
const WILDCARDS: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/** What only the operator of a router may name of it; undefined for a server that names none of it. */
function partOfRouter(server: GatewayServer): { readonly field: string; readonly message: string } | undefined {
  if (readsFiles(server)) {
    return { field: '.tls', message: 'names files of a router in another namespace; use credentialName' };
  }
  // The admin interface of the router listens there, for example.
  if (server.defaultEndpoint !== undefined) {
    return { field: '.defaultEndpoint', message: `is an address of ${FOREIGN}; bind a VirtualService to the server` };
  }
  // The kernel gives its connections to the listener with the address, and none to those of all addresses.
  if (server.bind !== '' && !WILDCARDS.has(server.bind)) {
    return { field: '.bind', message: `is an address of ${FOREIGN}; leave it out` };
  }
  return undefined;
}

const RESERVED = "which Gateways of the router's namespace leave to other namespaces; remove it";

const FOREIGN = 'a router in another namespace';

/** Envoy rejects a listener with a file that does not exist, for all Gateways of the port. */
function readsFiles({ tls }: GatewayServer): boolean {
  return tls?.mode === 'own' && (tls.certificate.type === 'files' || tls.clients?.roots.type === 'file');
}

function kindOf(server: GatewayServer): RouterPort['kind'] {
  if (server.tls !== undefined) return 'tls';
  return trafficOfServer(server) === 'http' ? 'http' : 'tcp';
}

function listeningPorts({ port, targetPort }: GatewayServer, targets: readonly ServiceTarget[]): readonly number[] {
  if (targetPort !== undefined) return [targetPort];
  const ports = targets.filter((target) => target.port.number === port).map((target) => target.targetPort);
  // A unix socket has no port.
  const listening = [...new Set(ports)].filter((each) => each > 0).sort((first, second) => first - second);
  return listening.length === 0 ? [port] : listening;
}

function portConflict(server: GatewayServer, kind: RouterPort['kind'], known: OpenPort): ServerConflict {
  const [first] = known.servers;
  const owner = first === undefined ? '' : ` (server ${first.portName} of Gateway ${first.gateway})`;
  const place = `port ${known.bind === '' ? '' : `${known.bind}:`}${known.port} of the router`;
  const message =
    kind === 'tcp' && known.kind === 'tcp'
      ? `cannot share ${place} with another server of bytes${owner}; use another port`
      : `is ${NAMES[kind]}, but ${place} takes ${NAMES[known.kind]} already${owner}; use another port or protocol`;
  return conflict(server, '.port', message);
}

const NAMES = { http: 'plaintext HTTP', tls: 'TLS', tcp: 'plaintext bytes' } as const;

function hostConflict(server: GatewayServer, { host }: ServerHost, owner: GatewayServer): ServerConflict {
  const message = `has TLS host ${host}, which server ${owner.portName} of Gateway ${owner.gateway} takes on the same port; remove it here or there`;
  return conflict(server, '.hosts', message);
}

function conflict(server: GatewayServer, field: string, message: string): ServerConflict {
  const { object, gateway } = server;
  return { object, gateway, field: `${serverField(server)}${field}`, message };
}
