import type { Service } from '../../model/service.js';
import { parseServiceAddress } from '../address-families.js';

const ALL_FAMILIES = { ipv4: true, ipv6: true };

/**
 * The names of the virtual host of a service: its host, the shorter forms of the host, the names of a headless
 * service's pods, and its addresses (docs/reference/xds.md#routes). Each name is a domain with the port, and also
 * without it if the table allows. In lower case, as Envoy compares them; each once.
 *
 * @param dnsDomain of the proxy
 */
export function virtualHostNames(
  service: Pick<Service, 'hostname' | 'headless' | 'addresses'>,
  dnsDomain: string,
): string[] {
  const hosts = [service.hostname, ...shortHostForms(service.hostname, dnsDomain)];
  // `<pod>.<service>` names of stateful pods.
  const podHosts = service.headless && !service.hostname.startsWith('*') ? hosts.map((host) => `*.${host}`) : [];
  const addresses = service.addresses.flatMap((text) => {
    const address = parseServiceAddress(text, ALL_FAMILIES);
    if (address === undefined || !('ip' in address) || UNSPECIFIED.has(address.ip)) return [];
    return [address.ip.includes(':') ? `[${address.ip}]` : address.ip];
  });
  const names = new Set([...hosts, ...podHosts, ...addresses].map((name) => name.toLowerCase()));
  // The fallback virtual host takes all other hosts.
  names.delete('*');
  return [...names];
}

/** @param withoutPort whether authorities without a port mean this port */
export function virtualHostDomains(names: readonly string[], port: number, withoutPort: boolean): string[] {
  return names.flatMap((name) => (withoutPort ? [name, `${name}:${port}`] : [`${name}:${port}`]));
}

/** Some registries give these to services without an address. */
const UNSPECIFIED: ReadonlySet<string> = new Set(['0.0.0.0', '::']);

/**
 * The shorter names of a host for the application of a proxy. Resolvers complete names with the domains of their search
 * list, so `web` means `web.default.svc.cluster.local` in namespace `default` (docs/reference/xds.md#routes).
 *
 * @param dnsDomain of the proxy, for example `default.svc.cluster.local`
 * @returns shortest first; empty where only the full name works
 */
export function shortHostForms(hostname: string, dnsDomain: string): string[] {
  if (dnsDomain === '' || hostname.startsWith('*')) return [];
  const parts = splitDnsDomain(dnsDomain);
  const inOwnDomain = prefixBefore(hostname, dnsDomain);
  if (inOwnDomain !== undefined) {
    if (parts === undefined) return [inOwnDomain];
    const withNamespace = `${inOwnDomain}.${parts.namespace}`;
    return [inOwnDomain, withNamespace, `${withNamespace}.svc`];
  }
  const inCluster = parts === undefined ? undefined : prefixBefore(hostname, parts.services);
  // A single label before `svc.<domain>` is a namespace, not a service.
  if (inCluster === undefined || !inCluster.includes('.')) return [];
  return [inCluster, `${inCluster}.svc`];
}

/**
 * The relation of hosts to the domain of a proxy: hosts of equal relations have the same short forms, so proxies of
 * different domains can share results.
 *
 * @returns the relation of a host to the domain
 */
export function hostRelationTo(dnsDomain: string): (hostname: string) => string {
  const own = `.${dnsDomain}`;
  const services = splitDnsDomain(dnsDomain)?.services;
  const cluster = services === undefined ? undefined : `.${services}`;
  const [ownKey, clusterKey] = [`own:${own.length}`, `cluster:${cluster?.length}`];
  return (hostname) => {
    if (hostname.endsWith(own)) return ownKey;
    return cluster !== undefined && hostname.endsWith(cluster) ? clusterKey : 'other';
  };
}

/** Whether a host is of the proxy's own namespace, and has its shortest name there. */
export function isOwnHost(hostname: string, dnsDomain: string): boolean {
  return hostname.endsWith(`.${dnsDomain}`);
}

/**
 * The DNS domain of a namespace without services, in the cluster of a proxy: all hosts have the short forms there that they
 * have in every namespace but their own. Undefined if the domain of the proxy is not that of a namespace.
 */
export function domainWithoutServices(dnsDomain: string): string | undefined {
  const parts = splitDnsDomain(dnsDomain);
  return parts && `${NO_NAMESPACE}.${parts.services}`;
}

/** No namespace has this name. */
const NO_NAMESPACE = '~';

/** `<namespace>.svc.<domain>`; undefined for domains of another form. */
function splitDnsDomain(dnsDomain: string): { namespace: string; services: string } | undefined {
  const dot = dnsDomain.indexOf('.');
  const services = dnsDomain.slice(dot + 1);
  return dot > 0 && services.startsWith('svc.') ? { namespace: dnsDomain.slice(0, dot), services } : undefined;
}

function prefixBefore(hostname: string, domain: string): string | undefined {
  const suffix = `.${domain}`;
  return hostname.length > suffix.length && hostname.endsWith(suffix)
    ? hostname.slice(0, hostname.length - suffix.length)
    : undefined;
}
