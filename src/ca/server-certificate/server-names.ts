import { isIP } from 'node:net';
import { revisionSuffix } from '../../base/revision.js';
import type { SubjectAltName } from '../authority/certificate-authority.js';

export interface ServerNameSettings {
  /** Host of the address that proxies connect to (mesh config, `defaultConfig.discoveryAddress`); may be empty. */
  readonly discoveryHost: string;
  /** MESHD_CUSTOM_HOST; may be empty. */
  readonly customHost: string;
  /** Namespace of the control plane. */
  readonly namespace: string;
  /** REVISION; each revision has a Service of its own. */
  readonly revision: string;
  /** --domain */
  readonly domain: string;
}

/** The Service in the certificates of every revision, of which each also has its own. */
const COMMON_SERVICE = 'mesh-navigator';
/** Further Services of the control plane (docs/reference/certificate-authority.md#server-certificate). */
const SERVICES = ['meshd-remote', COMMON_SERVICE] as const;

/** A name that all certificates of control planes in a namespace have, whatever their revision. */
export function commonServerName(namespace: string): string {
  return `${COMMON_SERVICE}.${namespace}.svc`;
}

/** The names of the server's own certificate. */
export function serverNames({
  discoveryHost,
  customHost,
  namespace,
  revision,
  domain,
}: ServerNameSettings): readonly SubjectAltName[] {
  const own = `meshd${revisionSuffix(revision)}.${namespace}.svc`;
  const others = SERVICES.map((service) => `${service}.${namespace}.svc`);
  const names = [discoveryHost, customHost, own, ...others, `${own}.${domain}`].filter((name) => name !== '');
  return [...new Set(names)].map((value) => ({ type: isIP(value) === 0 ? 'dns' : 'ip', value }));
}
