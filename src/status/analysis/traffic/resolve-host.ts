/** The full name of a host that an object of a namespace names: a name without dots is a Service of the namespace. */
export function resolveHost(host: string, namespace: string, domain: string): string {
  const name = host.replace(/\.$/, '').toLowerCase();
  return /[.*:]/.test(name) ? name : `${name}.${namespace}.svc.${domain}`;
}

/** `<namespace>/<name>` of the gateway that a VirtualService of a namespace names, or `mesh`. */
export function resolveGateway(name: string, namespace: string): string {
  if (name === 'mesh') return name;
  if (name.includes('/')) return name.startsWith('./') ? `${namespace}${name.slice(1)}` : name;
  const [gateway = '', inNamespace] = name.split('.');
  return `${inNamespace ?? namespace}/${gateway}`;
}
