import type { IngressBackend, IngressBody, IngressPath } from '../../../config/ingress/ingress.js';
import { keyOf, type MeshObject } from '../../../config/object.js';
import type { DerivationProblem } from '../derivation.js';

/** A Service of the namespace of the Ingress. */
export interface ServiceBackend {
  readonly service: string;
  readonly port: number | string;
  /** The field that names it. */
  readonly field: string;
}

/** Requests by their path. `prefix` matches whole elements, and has no slash at its end unless it is the root. */
export interface PathRule {
  readonly type: 'exact' | 'prefix';
  readonly path: string;
  /** The field of the rule. */
  readonly field: string;
  /** Undefined for a backend that is not supported: its requests are answered with 503. */
  readonly backend: ServiceBackend | undefined;
  /** Whether the default backend gives the rule: every rule of a path comes before it. */
  readonly isDefault: boolean;
}

/** The rules of one host. */
export interface HostRules {
  /** `*` for every host. */
  readonly host: string;
  readonly field: string;
  readonly rules: readonly PathRule[];
}

/** A certificate with its hosts. */
export interface HostCertificate {
  readonly secret: string;
  readonly hosts: readonly string[];
  readonly field: string;
}

/** What one Ingress says, in one form for all types of paths. */
export interface IngressParts {
  readonly ingress: MeshObject;
  /** Each host once, in the order of the object. */
  readonly hosts: readonly HostRules[];
  readonly certificates: readonly HostCertificate[];
  readonly problems: readonly DerivationProblem[];
}

/** Reads an Ingress, whose body has passed validation. */
export function readIngressParts(ingress: MeshObject): IngressParts {
  const { spec } = ingress.body as IngressBody;
  const problems: DerivationProblem[] = [];
  const object = keyOf(ingress);
  const tell = (field: string, text: string): void => {
    problems.push({ type: 'unsupported', object, field, text });
  };
  const backendOf = ({ service, resource }: IngressBackend, field: string): ServiceBackend | undefined => {
    if (service === undefined) {
      const told = resource as { readonly kind?: unknown; readonly name?: unknown } | undefined;
      tell(
        `${field}.resource`,
        `sends requests to ${String(told?.kind ?? 'an object')} ${String(told?.name ?? '')}, but gateways send requests to Services only`,
      );
      return undefined;
    }
    return { service: service.name, port: service.port.number ?? service.port.name ?? '', field: `${field}.service` };
  };
  const { defaultBackend } = spec;
  const rest: readonly PathRule[] =
    defaultBackend === undefined
      ? []
      : [
          {
            type: 'prefix',
            path: '/',
            field: 'spec.defaultBackend',
            backend: backendOf(defaultBackend, 'spec.defaultBackend'),
            isDefault: true,
          },
        ];
  const byHost = new Map<string, { readonly field: string; readonly rules: PathRule[] }>();
  const rulesOf = (host: string, field: string): PathRule[] => {
    const known = byHost.get(host) ?? { field, rules: [] };
    byHost.set(host, known);
    return known.rules;
  };
  for (const [index, { host, http }] of spec.rules.entries()) {
    const field = `spec.rules[${index}].host`;
    if (!isRoutable(host)) {
      tell(field, `is ${host}, which has no dot: gateways have no such host`);
      continue;
    }
    const rules = rulesOf(host === '' ? '*' : host, field);
    for (const [at, path] of (http?.paths ?? []).entries()) {
      const place = `spec.rules[${index}].http.paths[${at}]`;
      rules.push({
        ...formOf(path),
        field: place,
        backend: backendOf(path.backend, `${place}.backend`),
        isDefault: false,
      });
    }
  }
  if (rest.length > 0) rulesOf('*', 'spec.defaultBackend');
  const hosts = [...byHost].map(([host, { field, rules }]) => ({ host, field, rules: [...rules, ...rest] }));
  const certificates = spec.tls.flatMap(({ secretName, hosts: named }, index): readonly HostCertificate[] => {
    const field = `spec.tls[${index}]`;
    if (secretName === '') {
      tell(
        `${field}.secretName`,
        'is empty: gateways have no certificate for hosts without a secret, so port 443 does not serve them',
      );
      return [];
    }
    for (const [at, host] of named.entries())
      if (!isRoutable(host)) tell(`${field}.hosts[${at}]`, `is ${host}, which has no dot: gateways have no such host`);
    const wanted = named.length === 0 ? hosts.map(({ host }) => host) : named.filter(isRoutable);
    return [{ secret: secretName, hosts: [...new Set(wanted.map((host) => (host === '' ? '*' : host)))], field }];
  });
  return { ingress, hosts, certificates, problems };
}

/** A name without dots is a Service in a VirtualService. */
function isRoutable(host: string): boolean {
  return host === '' || host.includes('.');
}

function formOf({ path, pathType }: IngressPath): Pick<PathRule, 'type' | 'path'> {
  if (pathType === 'Exact') return { type: 'exact', path };
  const elements = pathType === 'ImplementationSpecific' && path.endsWith('/*') ? path.slice(0, -1) : path;
  return { type: 'prefix', path: elements.replace(/\/+$/, '') || '/' };
}
