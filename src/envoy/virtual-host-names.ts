/** The resource name of a virtual host: `<route table>/<host>`. Envoy finds the table by the last slash. */
export function virtualHostName(table: string, host: string): string {
  return `${table}/${host.replaceAll('/', '_')}`;
}

/** The route table of a virtual host, by its resource name. */
export function tableOfVirtualHost(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}

/** The host of a virtual host that a proxy asked for, by its resource name. */
export function hostOfVirtualHost(name: string): string {
  return name.slice(name.lastIndexOf('/') + 1);
}

const ASKED = '?';

/** The group of the one virtual host that a proxy asked for by its name. No route table has such a name. */
export function askedGroup(name: string): string {
  return `${ASKED}${name}`;
}

/** The name in an `askedGroup`; undefined for other groups, which are route tables. */
export function askedNameOf(group: string): string | undefined {
  return group.startsWith(ASKED) ? group.slice(ASKED.length) : undefined;
}
