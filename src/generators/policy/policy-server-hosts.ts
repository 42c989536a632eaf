import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { createMemo } from '../../model/memo.js';
import { checkServerOf, type PolicyServerTarget, reportServerOf } from '../../model/policy/policy-servers.js';
import type { PushContext, ServiceView } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';

/** A host and port that proxies call. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The embedded server has the host at which proxies find discovery, and a port of its own. */
export function addressOfServer(server: PolicyServerTarget, mesh: MeshConfig, embeddedPort: number): ServerAddress {
  if (server.type === 'address') return server;
  const { discoveryAddress } = mesh.defaultConfig;
  const host = discoveryAddress.slice(0, discoveryAddress.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
  return { host, port: embeddedPort };
}

/** The hostnames of services that a host may name: the host itself, and the names that it is short for in the cluster. */
export function serviceNamesOf(host: string, domain: string): readonly string[] {
  return [host, `${host}.svc.${domain}`, `${host}.${domain}`];
}

/**
 * Whether a host is a policy server's, under any name that the mesh config may use. Calls to policy servers are never
 * checked, because each check would need another check.
 */
export type IsPolicyServer = (context: Pick<PushContext, 'mesh' | 'domain'>, hostname: string) => boolean;

export function createPolicyServerLookup(): IsPolicyServer {
  const memo = createMemo<ReadonlySet<string>>();
  return ({ mesh, domain }, hostname) => memo.of([mesh], domain, () => serverHosts(mesh, domain)).has(hostname);
}

function serverHosts(mesh: MeshConfig, domain: string): ReadonlySet<string> {
  const hosts = new Set<string>();
  for (const server of [checkServerOf(mesh), reportServerOf(mesh)]) {
    if (server === undefined) continue;
    const { host } = addressOfServer(server, mesh, 0);
    for (const name of serviceNamesOf(host, domain)) hosts.add(name);
  }
  return hosts;
}

/** The service of a view that serves a port over TCP under one of the names. The first name with a service wins. */
export type ServedLookup = (view: ServiceView, hosts: readonly string[], port: number) => Service | undefined;

/** Looks up each name and port once for each view. */
export function createServedLookup(): ServedLookup {
  const memo = createMemo<Service | undefined>();
  return (view, hosts, port) => memo.of([view], `${hosts.join()}:${port}`, () => findServed(view, hosts, port));
}

function findServed({ services }: ServiceView, hosts: readonly string[], port: number): Service | undefined {
  const serves = ({ ports }: Service): boolean =>
    ports.some(({ number, protocol }) => number === port && protocol !== 'udp');
  for (const host of hosts) {
    const found = services.find((service) => service.hostname === host && serves(service));
    if (found !== undefined) return found;
  }
  return undefined;
}
