import type { GatewayServerSpec, GatewaySpec } from '../../../config/networking/gateway.js';
import type { HostOwners } from './host-owners.js';
import type { IngressParts } from './ingress-parts.js';

/** The facts of an Ingress that its Gateway depends on. */
export interface OwnedHosts {
  /** Hosts of port 80. */
  readonly plain: readonly string[];
  /** Hosts of port 443 by secret. */
  readonly bySecret: ReadonlyMap<string, readonly string[]>;
}

/** The hosts that the Gateway of an Ingress serves: of several Ingresses with a host, the first has it. */
export function ownedHosts({ ingress, hosts, certificates }: IngressParts, owners: HostOwners): OwnedHosts {
  const plain = hosts.map(({ host }) => host).filter((host) => owners.shares.get(host)?.[0]?.ingress === ingress);
  const bySecret = new Map<string, string[]>();
  for (const { secret, hosts: named } of certificates) {
    for (const host of named) {
      const owner = owners.certificates.get(host);
      if (owner?.ingress !== ingress || owner.secret !== secret) continue;
      const list = bySecret.get(secret) ?? [];
      if (!list.includes(host)) list.push(host);
      bySecret.set(secret, list);
    }
  }
  return { plain, bySecret };
}

export interface GatewaySettings {
  /** Namespace of the Gateway. */
  readonly gatewayNamespace: string;
  /** Value of the label `app` of the routers. */
  readonly selector: string;
}

/** The Gateway of an Ingress; undefined if it has no host. Only VirtualServices of its namespace may bind to the hosts. */
export function buildIngressGateway(
  namespace: string,
  { plain, bySecret }: OwnedHosts,
  { gatewayNamespace, selector }: GatewaySettings,
): GatewaySpec | undefined {
  const within = (hosts: readonly string[]) => hosts.map((host) => `${namespace}/${host}`);
  const servers: GatewayServerSpec[] = [];
  if (plain.length > 0) servers.push({ port: { number: 80, protocol: 'HTTP', name: 'http' }, hosts: within(plain) });
  for (const [secret, hosts] of bySecret) {
    const credentialName = namespace === gatewayNamespace ? secret : `${namespace}/${secret}`;
    servers.push({
      port: { number: 443, protocol: 'HTTPS', name: `https-${servers.length}` },
      hosts: within(hosts),
      tls: { mode: 'SIMPLE', credentialName },
    });
  }
  return servers.length === 0 ? undefined : { servers, selector: { app: selector } };
}
