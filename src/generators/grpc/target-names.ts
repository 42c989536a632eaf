import type { VirtualHost } from '../../model/traffic/http-route.js';
import type { RouteInputs } from '../../model/traffic/service-routes.js';
import type { TrafficView } from '../../model/traffic/traffic-view.js';
import type { ViewIndex } from '../view-index.js';

/** What a gRPC client dials: `xds:///<host>:<port>`. */
export interface TargetName {
  readonly host: string;
  readonly port: number;
}

/** The path of a server's listener in its name, before the address that the server listens at. */
const SERVER_LISTENER = 'grpc/lds/inbound/';

/** Characters of a DNS name. Clients can ask for any name, and a look-up tries every suffix of a host. */
const MAX_HOST_CHARACTERS = 253;

/** Undefined for names of another form, or of hosts that are too long. An IPv6 address has brackets. */
export function parseTargetName(name: string): TargetName | undefined {
  const colon = name.lastIndexOf(':');
  const port = parsePort(name.slice(colon + 1));
  const host = name.slice(0, Math.max(colon, 0)).toLowerCase();
  if (port === undefined || host === '' || host.length > MAX_HOST_CHARACTERS || host.includes('/')) {
    return undefined;
  }
  return { host, port };
}

/**
 * The address of a server from the name of its listener, `grpc/lds/inbound/<address>:<port>`. An authority before it is
 * accepted: bootstraps of other meshes have one. Undefined for other names.
 */
export function parseServerListenerName(name: string): { readonly address: string; readonly port: number } | undefined {
  const start = name.indexOf(SERVER_LISTENER);
  if (start < 0 || (start > 0 && name[start - 1] !== '/')) return undefined;
  const target = parseTargetName(name.slice(start + SERVER_LISTENER.length));
  return target && { address: target.host.replace(/^\[(.*)\]$/, '$1'), port: target.port };
}

function parsePort(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 65_535 ? port : undefined;
}

export interface TargetLookup {
  readonly traffic: TrafficView;
  readonly index: ViewIndex;
  readonly inputs: RouteInputs;
  /** Of the client: completes short names as its resolver would. */
  readonly dnsDomain: string;
}

/** The routes of a target; undefined where the client sees no such host and port. */
export function virtualHostOfTarget({ host, port }: TargetName, lookup: TargetLookup): VirtualHost | undefined {
  const { traffic, index, inputs } = lookup;
  const hosts = completions(host, lookup.dnsDomain);
  for (const candidate of [...hosts, ...wildcardsOf(host)]) {
    const service = index.byHost.get(candidate);
    const served = service?.ports.find(({ number, protocol }) => number === port && protocol !== 'udp');
    if (service !== undefined && served !== undefined) return traffic.virtualHostOf(service, served, inputs);
  }
  const others = traffic.otherHostsAt(port, inputs);
  for (const candidate of [...hosts, ...wildcardsOf(host), '*']) {
    const other = others.find(({ hostname }) => hostname === candidate);
    if (other !== undefined) return other.virtualHost;
  }
  return undefined;
}

/** The name itself, then with each part of the client's domain: `web`, `web.shop`, `web.shop.svc`. */
function completions(host: string, dnsDomain: string): readonly string[] {
  const labels = dnsDomain === '' || dnsDomain.length > MAX_HOST_CHARACTERS ? [] : dnsDomain.split('.');
  return [host, ...labels.map((_, index) => `${host}.${labels.slice(index).join('.')}`)];
}

/** The wildcard hosts that a name is part of, the most specific one first. */
function wildcardsOf(host: string): readonly string[] {
  const labels = host.split('.');
  return labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`);
}
