import { HTTP_PROXY_ROUTE } from '../listeners/http-proxy-part.js';

/** What a route table is for, by its name (BEHAVIOUR 5, "Routes"). */
export type RouteName =
  | { readonly type: 'port'; readonly port: number }
  | { readonly type: 'service'; readonly hostname: string; readonly port: number }
  | { readonly type: 'httpProxy' };

/** Undefined for names of no known form. */
export function parseRouteName(name: string): RouteName | undefined {
  if (name === HTTP_PROXY_ROUTE) return { type: 'httpProxy' };
  const colon = name.lastIndexOf(':');
  const port = parsePort(name.slice(colon + 1));
  if (port === undefined) return undefined;
  return colon < 0 ? { type: 'port', port } : { type: 'service', hostname: name.slice(0, colon), port };
}

function parsePort(text: string): number | undefined {
  if (!/^[1-9][0-9]{0,4}$/.test(text)) return undefined;
  const port = Number(text);
  return port <= 65_535 ? port : undefined;
}
