import type { HttpAnswer } from '../counterparts/agent/calls.js';
import type { Manifest } from '../counterparts/config-folder.js';
import { endpointsManifest, type ServiceOptions, serviceManifest } from '../counterparts/manifests.js';
import { boundQuotaSpec } from '../counterparts/policy-manifests.js';
import { type GatewayMesh, gatewayManifest, INGRESS, virtualServiceManifest, WEB } from './gateway-mesh.js';
import { policyConfig, policyMeshConfig } from './policy-mesh.js';

/** An address behind the control plane's machine, where no proxy is. */
const BARE_ADDRESS = '10.244.9.10';
/** The port of the router for the hosts of these services. */
export const QUOTA_PORT = 8085;
/** What each service grants in an hour. */
export const LIMIT = 10;

const SIDECAR = [WEB.address];
const BARE = [BARE_ADDRESS];

/** Services by name: where their workloads are, and the port on which these listen. */
const SERVICES = {
  guarded: { port: 8091, addresses: SIDECAR },
  direct: { port: 8092, addresses: SIDECAR },
  left: { port: 8093, addresses: SIDECAR },
  mixed: { port: 8094, addresses: [...SIDECAR, ...BARE] },
  bare: { port: 8095, addresses: BARE },
  right: { port: 8096, addresses: BARE },
} as const;

export type QuotaService = keyof typeof SERVICES;

const serviceOf = ([name, { port }]: [string, { readonly port: number }], index: number): ServiceOptions => ({
  name,
  namespace: 'shop',
  clusterIP: `10.96.3.${10 + index}`,
  ports: [{ name: 'http', port: 80, targetPort: port }],
});

const destination = (name: QuotaService) => ({
  destination: { host: `${name}.shop.svc.cluster.local`, port: { number: 80 } },
});

const routed = (host: string, route: readonly object[]): Manifest =>
  virtualServiceManifest(host, { hosts: [`${host}.example.com`], gateways: ['edge/quota'], http: [{ route }] });

/** Each service has a quota of its own name. */
export const QUOTA_OBJECTS: readonly Manifest[] = [
  ...Object.entries(SERVICES).flatMap(([name, service], index) => {
    const options = serviceOf([name, service], index);
    return [
      serviceManifest(options),
      endpointsManifest(options, service.addresses),
      ...boundQuotaSpec({ name, namespace: 'shop' }, [name], [{ quotas: [{ quota: name, charge: 1 }] }]),
    ];
  }),
  gatewayManifest('quota', [
    { port: { number: 85, name: 'http', protocol: 'HTTP', targetPort: QUOTA_PORT }, hosts: ['*'] },
  ]),
  routed('guarded', [destination('guarded')]),
  routed('direct', [destination('direct')]),
  routed('mixed', [destination('mixed')]),
  routed('bare', [destination('bare')]),
  routed('split', [
    { ...destination('left'), weight: 50 },
    { ...destination('right'), weight: 50 },
  ]),
];

const perHour = (name: string, maxAmount = LIMIT) => ({ name, maxAmount, validDuration: '1h' });

export const QUOTA_SETTINGS = {
  meshConfig: policyMeshConfig(),
  policyConfig: policyConfig(
    [
      // The sidecar sees the address of the router, and would count all clients together.
      { ...perHour('guarded'), dimensions: ['origin.ip'] },
      ...['direct', 'mixed', 'bare'].map((name) => perHour(name)),
      ...['left', 'right'].map((name) => perHour(name, 1000)),
    ],
    { callers: { gatewayNamespaces: [INGRESS.namespace] } },
  ),
};

/** Starts the applications of the services. */
export async function serveQuotaServices({ secured, web }: Pick<GatewayMesh, 'secured' | 'web'>): Promise<void> {
  const { rig } = secured.mesh;
  await rig.network.addRouterAddress(BARE_ADDRESS);
  for (const [name, { port, addresses }] of Object.entries(SERVICES)) {
    for (const address of addresses) {
      if (address === BARE_ADDRESS) await rig.routerAgent.call('serveHttp', { name, port, address });
      else await web.agent.call('serveHttp', { name, port });
    }
  }
}

/** So many requests at once to a host at a router, from outside of the mesh. */
export function askRouter(
  { secured }: GatewayMesh,
  name: QuotaService | 'split',
  count: number,
  { address = INGRESS.address, agent = secured.mesh.rig.routerAgent, headers = {} } = {},
): Promise<readonly HttpAnswer[]> {
  const request = { url: `http://${address}:${QUOTA_PORT}/`, headers: { ...headers, host: `${name}.example.com` } };
  return agent.call('requestMany', { requests: Array.from({ length: count }, () => request) });
}

/** So many requests at once to the workload itself, without a router and from no proxy. */
export function askWorkload(
  { secured }: GatewayMesh,
  name: QuotaService,
  count: number,
  headers: Readonly<Record<string, string>>,
): Promise<readonly HttpAnswer[]> {
  const request = { url: `http://${WEB.address}:${SERVICES[name].port}/`, headers };
  return secured.mesh.rig.routerAgent.call('requestMany', { requests: Array.from({ length: count }, () => request) });
}

/** Units that the quota has granted so far. */
export async function grantedOf({ secured }: GatewayMesh, quota: QuotaService): Promise<number> {
  const metrics = await secured.mesh.discovery.get('/metrics');
  const series = `policy_server_quota_charges_total{quota="${quota}",result="granted"} `;
  const line = metrics.split('\n').find((each) => each.startsWith(series));
  return Number(line?.slice(series.length) ?? 0);
}
