/** The gateway that stands for all sidecars. */
export const MESH_GATEWAY = 'mesh';

/**
 * A host as a namespace means it: a name without dots is a Service of the namespace.
 *
 * @param domain of the cluster, for example `cluster.local`
 */
export function resolveHost(host: string, namespace: string, domain: string): string {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  if (name.includes('.') || name.includes('*') || name.includes(':')) return name.toLowerCase();
  return `${name.toLowerCase()}.${namespace}.svc.${domain}`;
}

/** Whether every host that `inner` stands for is one that `outer` stands for; the first label of each may be `*`. */
export function coversHost(outer: string, inner: string): boolean {
  if (outer === '*' || outer === inner) return true;
  return outer.startsWith('*.') && inner.endsWith(outer.slice(1)) && inner.length > outer.length - 1;
}

/**
 * The gateway that a name means: `mesh`, or `<namespace>/<name>`. Besides `<namespace>/<name>`, `./<name>` and
 * `<name>` there is the old form `<name>.<namespace>.svc.<domain>`.
 */
export function resolveGatewayName(name: string, namespace: string): string {
  if (name === MESH_GATEWAY) return name;
  const slash = name.indexOf('/');
  if (slash >= 0) return name.startsWith('./') ? `${namespace}${name.slice(slash)}` : name;
  const [gateway = '', inNamespace] = name.split('.');
  return `${inNamespace ?? namespace}/${gateway}`;
}
