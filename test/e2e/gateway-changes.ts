import type { Manifest } from '../counterparts/config-folder.js';
import { gatewayManifest, routeToWeb, virtualServiceManifest, WEB_HOST } from './gateway-mesh.js';
import { SPARE_HOST } from './gateway-routes.js';

/** A server of HTTPS. */
export const https = (name: string, number: number, hosts: readonly string[], tls: object) => ({
  // Envoy runs without the right to ports below 1024.
  port: { number, name, protocol: 'HTTPS', targetPort: 8443 },
  hosts,
  tls,
});

/** The host whose route changes under load. */
export const LOADED_HOST = 'simple.example.com';

/** Another split between two services of the same application in each round, and a condition in every second one. */
export function loadedRoute(round: number): readonly Manifest[] {
  const weight = (round * 37) % 101;
  const to = (host: string, share: number) => ({
    destination: { host, port: { number: 80 } },
    weight: share,
  });
  const mark = { headers: { response: { set: { 'x-round': `${round}` } } } };
  const tester = {
    match: [{ headers: { 'x-tester': { exact: `${round}` } } }],
    route: [to(WEB_HOST, 100)],
    ...mark,
  };
  const split = { route: [to(WEB_HOST, 100 - weight), to(SPARE_HOST, weight)], ...mark };
  const spec = { hosts: [LOADED_HOST], gateways: ['edge/edge'], http: [...(round % 2 === 0 ? [tester] : []), split] };
  return [virtualServiceManifest('loaded', spec)];
}

/** A Gateway with more servers on the ports that are in use; it is there in every second round. */
export function otherServers(round: number): readonly Manifest[] {
  if (round % 2 === 0) return [];
  const servers = [
    { port: { number: 80, name: 'http', protocol: 'HTTP', targetPort: 8080 }, hosts: [`other-${round}.example.com`] },
    https('other', 443, [`other-${round}.example.com`], { mode: 'SIMPLE', credentialName: 'simple' }),
  ];
  return [gatewayManifest('other', servers), routeToWeb('other', [`other-${round}.example.com`], 'edge/other')];
}
