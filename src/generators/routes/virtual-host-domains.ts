import type { Service } from '../../model/service.js';
import { parseServiceAddress } from '../address-families.js';
import { shortHostForms } from './host-forms.js';

/** Which authorities reach a virtual host. */
export interface DomainRules {
  /** DNS domain of the proxy. */
  readonly dnsDomain: string;
  readonly port: number;
  /** Whether names without a port mean this port. */
  readonly withoutPort: boolean;
}

const ALL_FAMILIES = { ipv4: true, ipv6: true };

/**
 * The domains of the virtual host `host:port`: the host, its shorter forms, the names of a headless service's
 * pods, and the service's addresses, each with the port and without (BEHAVIOUR 5, "Routes"). In lower case, as
 * Envoy compares them; each once.
 */
export function virtualHostDomains(service: Service, { dnsDomain, port, withoutPort }: DomainRules): string[] {
  const hosts = [service.hostname, ...shortHostForms(service.hostname, dnsDomain)];
  // `<pod>.<service>` names of stateful pods.
  const podHosts = service.headless && !service.hostname.startsWith('*') ? hosts.map((host) => `*.${host}`) : [];
  const addresses = service.addresses.flatMap((text) => {
    const address = parseServiceAddress(text, ALL_FAMILIES);
    if (address === undefined || !('ip' in address) || UNSPECIFIED.has(address.ip)) return [];
    return [address.ip.includes(':') ? `[${address.ip}]` : address.ip];
  });
  const domains = new Set<string>();
  for (const host of [...hosts, ...podHosts, ...addresses]) {
    const domain = host.toLowerCase();
    if (withoutPort) domains.add(domain);
    domains.add(`${domain}:${port}`);
  }
  return [...domains];
}

/** What some registries give to services without an address of their own. */
const UNSPECIFIED: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
