import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';

type Services = Pick<PushContext, 'services' | 'servicesByHost' | 'domain'>;

/** `unknown` has services with a similar name. */
export type FoundService =
  | { readonly type: 'found'; readonly service: Service }
  | { readonly type: 'unknown' }
  | { readonly type: 'ambiguous'; readonly hostnames: readonly string[] };

/**
 * The service of a host. Short names are completed as in a pod: `web` and `web.shop` are `web.shop.svc.cluster.local`.
 *
 * @param namespace of the caller, which decides about names without a namespace
 */
export function findService(
  { services, servicesByHost, domain }: Services,
  host: string,
  namespace: string | undefined,
): FoundService {
  const labels = host.split('.');
  const candidates = [
    host,
    ...(labels.length === 1 && namespace !== undefined ? [`${host}.${namespace}.svc.${domain}`] : []),
    ...(labels.length === 2 ? [`${host}.svc.${domain}`] : []),
    ...(labels.length === 3 && labels[2] === 'svc' ? [`${host}.${domain}`] : []),
    ...labels.slice(1).map((_, index) => `*.${labels.slice(index + 1).join('.')}`),
  ];
  for (const candidate of candidates) {
    const service = servicesByHost.get(candidate);
    if (service !== undefined) return { type: 'found', service };
  }
  if (labels.length > 1) return { type: 'unknown' };
  const named = services.filter(
    ({ hostname }) => hostname.startsWith(`${host}.`) && hostname.endsWith(`.svc.${domain}`),
  );
  const [only, ...others] = named;
  if (only === undefined) return { type: 'unknown' };
  if (others.length === 0) return { type: 'found', service: only };
  return { type: 'ambiguous', hostnames: named.map(({ hostname }) => hostname) };
}
