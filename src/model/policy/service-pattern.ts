import type { MeshServiceSpec } from '../../config/policy/mesh-service.js';

/** The services that one MeshService of a binding selects (docs/reference/policy-kinds.md#binding-resolution). */
export type ServicePattern =
  /** `service: "*"` */
  | { readonly type: 'every' }
  /** `service: "*text*"`: hosts that contain the text. */
  | { readonly type: 'containing'; readonly text: string }
  /** One host, exactly. */
  | { readonly type: 'host'; readonly hostname: string }
  /** Any other use of `*`, and an empty name: matches no service. */
  | { readonly type: 'unusable'; readonly text: string };

/**
 * @param namespace of the binding, for a MeshService that names none
 * @param domain DNS suffix of the cluster, for a MeshService that names none
 */
export function servicePatternOf(
  service: Omit<MeshServiceSpec, 'labels'>,
  namespace: string,
  domain: string,
): ServicePattern {
  if (service.service !== undefined) return patternOf(service.service);
  if (service.name === undefined) return { type: 'unusable', text: '' };
  const suffix = service.domain ?? `svc.${domain}`;
  return { type: 'host', hostname: `${service.name}.${service.namespace ?? namespace}.${suffix}` };
}

export function matchesHost(pattern: ServicePattern, hostname: string): boolean {
  switch (pattern.type) {
    case 'every':
      return true;
    case 'containing':
      return hostname.includes(pattern.text);
    case 'host':
      return hostname === pattern.hostname;
    case 'unusable':
      return false;
  }
}

function patternOf(text: string): ServicePattern {
  if (!text.includes('*')) return { type: 'host', hostname: text };
  if (text === '*') return { type: 'every' };
  const inner = text.slice(1, -1);
  const isContaining = text.startsWith('*') && text.endsWith('*') && inner !== '' && !inner.includes('*');
  return isContaining ? { type: 'containing', text: inner } : { type: 'unusable', text };
}
