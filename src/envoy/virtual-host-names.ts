/** The resource name of a virtual host: `<route table>/<host>`. Envoy finds the table by the last slash. */
export function virtualHostName(table: string, host: string): string {
  return `${table}/${host.replaceAll('/', '_')}`;
}

/** The route table of a virtual host, by its resource name. */
export function tableOfVirtualHost(name: string): string {
  return name.slice(0, Math.max(0, name.lastIndexOf('/')));
}
