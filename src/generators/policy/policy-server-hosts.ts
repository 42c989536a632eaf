import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { createMemo } from '../../model/memo.js';
import { checkServerOf, type PolicyServer, reportServerOf } from '../../model/policy/policy-servers.js';
import type { PushContext } from '../../model/push-context.js';

/** A host and port that proxies call. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
}

/** The server in the discovery process is where proxies find discovery, at a port of its own. */
export function addressOfServer(server: PolicyServer, mesh: MeshConfig, embeddedPort: number): ServerAddress {
  if (server.type === 'address') return server;
  const { discoveryAddress } = mesh.defaultConfig;
  const host = discoveryAddress.slice(0, discoveryAddress.lastIndexOf(':')).replace(/^\[(.*)\]$/, '$1');
  return { host, port: embeddedPort };
}

/** The hostnames that a host may have as a service: its own, and those that it is short for in the cluster. */
export function serviceNamesOf(host: string, domain: string): readonly string[] {
  return [host, `${host}.svc.${domain}`, `${host}.${domain}`];
}

/**
 * Whether a host is that of a policy server, under any name that a mesh config may have for it. Its own traffic is
 * never checked: each check would have to be checked itself.
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
