import { isIP } from 'node:net';
import type { SubjectAltName } from '../authority/certificate-authority.js';

export interface ServerNameSettings {
  /** Host of the address that proxies connect to (mesh config, `defaultConfig.discoveryAddress`); may be empty. */
  readonly discoveryHost: string;
  /** MESHD_CUSTOM_HOST; may be empty. */
  readonly customHost: string;
  /** The control plane's own namespace. */
  readonly namespace: string;
  /** --domain */
  readonly domain: string;
}

/** Services of the control plane (BEHAVIOUR 4, "Server DNS cert"). */
const SERVICES = ['meshd', 'meshd-remote', 'mesh-navigator'] as const;

/** What the server's own certificate is for; the fully qualified name of its service besides what BEHAVIOUR 4 lists. */
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
