import type { Service } from '../../model/service.js';
import { parseServiceAddress } from '../address-families.js';
import { shortHostForms } from './host-forms.js';

const ALL_FAMILIES = { ipv4: true, ipv6: true };

/**
 * The names of a service's virtual host, each of which is a domain with the port and, where that is meant,
 * without: the host, its shorter forms, the names of a headless service's pods, and the service's addresses
 * (BEHAVIOUR 5, "Routes"). In lower case, as Envoy compares them; each once.
 *
 * @param dnsDomain of the proxy
 */
export function virtualHostNames(service: Service, dnsDomain: string): string[] {
  const hosts = [service.hostname, ...shortHostForms(service.hostname, dnsDomain)];
  // `<pod>.<service>` names of stateful pods.
  const podHosts = service.headless && !service.hostname.startsWith('*') ? hosts.map((host) => `*.${host}`) : [];
  const addresses = service.addresses.flatMap((text) => {
    const address = parseServiceAddress(text, ALL_FAMILIES);
    if (address === undefined || !('ip' in address) || UNSPECIFIED.has(address.ip)) return [];
    return [address.ip.includes(':') ? `[${address.ip}]` : address.ip];
  });
  const names = new Set([...hosts, ...podHosts, ...addresses].map((name) => name.toLowerCase()));
  // All hosts are the fallback's.
  names.delete('*');
  return [...names];
}

/** @param withoutPort whether authorities without a port mean this port */
export function virtualHostDomains(names: readonly string[], port: number, withoutPort: boolean): string[] {
  return names.flatMap((name) => (withoutPort ? [name, `${name}:${port}`] : [`${name}:${port}`]));
}

/** What some registries give to services without an address of their own. */
const UNSPECIFIED: ReadonlySet<string> = new Set(['0.0.0.0', '::']);
