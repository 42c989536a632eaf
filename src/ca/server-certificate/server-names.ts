import { isIP } from 'node:net';
import type { SubjectAltName } from '../authority/certificate-authority.js';

export interface ServerNameSettings {
  /** Host of the address that proxies connect to (mesh config, `defaultConfig.discoveryAddress`); may be empty. */
  readonly discoveryHost: string;
  /** MESHD_CUSTOM_HOST; may be empty. */
  readonly customHost: string;
  /** Namespace of the control plane. */
  readonly namespace: string;
  /** --domain */
  readonly domain: string;
}

/** Services of the control plane (docs/reference/certificate-authority.md#server-certificate). */
const SERVICES = ['meshd', 'meshd-remote', 'mesh-navigator'] as const;

/** The names of the server's own certificate. */
export function serverNames({
  discoveryHost,
  customHost,
  namespace,
  domain,
}: ServerNameSettings): readonly SubjectAltName[] {
  const services = SERVICES.map((service) => `${service}.${namespace}.svc`);
  const names = [discoveryHost, customHost, ...services, `${services[0]}.${domain}`].filter((name) => name !== '');
  return [...new Set(names)].map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }));
}
