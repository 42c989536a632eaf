import type { HttpAnswer, HttpRequest } from '../counterparts/agent/calls.js';
import type { Manifest } from '../counterparts/config-folder.js';
import { type GatewayMesh, INGRESS, virtualServiceManifest, WEB, WEB_HOST } from './gateway-mesh.js';
import { QUOTA_PORT } from './gateway-quota.js';

/** Another service of the web workload. */
export const SPARE_HOST = 'spare.shop.svc.cluster.local';
const HOST = 'fields.example.com';

const to = (host: string, subset?: string) => ({
  destination: { host, port: { number: 80 }, ...(subset === undefined ? {} : { subset }) },
});
const TO_WEB = { route: [to(WEB_HOST)] };

/** A condition, and a request for which it holds or does not hold. */
interface Condition {
  readonly match: object;
  readonly holds?: Partial<HttpRequest>;
  readonly fails?: Partial<HttpRequest>;
}

const header = (name: string, value: string): Partial<HttpRequest> => ({ headers: { [name]: value } });

/** Each is a route of its own, with the number of its position as a header of the request. */
export const CONDITIONS: Readonly<Record<string, Condition>> = {
  'exact path': { match: { uri: { exact: '/a' } }, holds: { path: '/a' }, fails: { path: '/ab' } },
  'prefix of the path in any case': {
    match: { uri: { prefix: '/Books' }, ignoreUriCase: true },
    holds: { path: '/bOOKS/1' },
    fails: { path: '/book' },
  },
  'expression for the path': { match: { uri: { regex: '/v[0-9]' } }, holds: { path: '/v1' }, fails: { path: '/v10' } },
  scheme: { match: { scheme: { exact: 'http' } }, holds: {} },
  'another scheme': { match: { scheme: { exact: 'https' } }, fails: {} },
  method: { match: { method: { exact: 'PUT' } }, holds: { method: 'PUT' }, fails: { method: 'POST' } },
  authority: { match: { authority: { exact: HOST } }, holds: {} },
  header: {
    match: { headers: { 'x-user': { exact: 'ann' } } },
    holds: header('x-user', 'ann'),
    fails: header('x-user', 'ben'),
  },
  'no header': { match: { withoutHeaders: { 'x-user': {} } }, holds: {}, fails: header('x-user', 'ann') },
  'query parameter': {
    match: { queryParams: { page: { exact: '1' } } },
    holds: { path: '/?page=1' },
    fails: { path: '/?page=2' },
  },
  'port of the server': { match: { port: 85 }, holds: {} },
  'another port': { match: { port: 80 }, fails: {} },
  'labels of the router': { match: { sourceLabels: { app: INGRESS.name } }, holds: {} },
  'other labels': { match: { sourceLabels: { app: WEB.name } }, fails: {} },
  'namespace of the router': { match: { sourceNamespace: INGRESS.namespace }, holds: {} },
  'another namespace': { match: { sourceNamespace: WEB.namespace }, fails: {} },
  'the gateway': { match: { gateways: ['edge/quota'] }, holds: {} },
  'another gateway, and sidecars': { match: { gateways: ['edge/edge', 'mesh'] }, fails: {} },
};

const conditional = Object.values(CONDITIONS).map(({ match }, index) => {
  const { headers = {} } = match as { readonly headers?: object };
  const row = { 'x-row': { exact: `${index}` } };
  const marked = { headers: { response: { set: { 'x-took': `${index}` } } } };
  return { match: [{ ...match, headers: { ...headers, ...row } }], ...TO_WEB, ...marked };
});

const at = (path: string, rest: object) => ({ match: [{ name: path, uri: { prefix: `/${path}` } }], ...rest });

/** A VirtualService of a gateway with every field that changes a request, by the path of its route. */
export const FIELD_OBJECTS: readonly Manifest[] = [
  virtualServiceManifest('fields', {
    hosts: [HOST],
    gateways: ['edge/quota'],
    http: [
      ...conditional,
      at('redirected', { redirect: { uri: '/new', authority: 'new.example.com', redirectCode: 302 } }),
      at('rewritten', { ...TO_WEB, rewrite: { uri: '/inner', authority: 'inner.example.com' } }),
      at('timeout', { ...TO_WEB, timeout: '0.2s' }),
      at('retried', { ...TO_WEB, retries: { attempts: 2, perTryTimeout: '60s', retryOn: '418' } }),
      at('delayed', { ...TO_WEB, fault: { delay: { fixedDelay: '0.3s', percentage: { value: 100 } } } }),
      at('aborted', { ...TO_WEB, fault: { abort: { httpStatus: 451, percentage: { value: 100 } } } }),
      at('mirrored', {
        ...TO_WEB,
        mirror: { host: SPARE_HOST, port: { number: 80 } },
        mirrorPercentage: { value: 100 },
      }),
      at('cors', {
        ...TO_WEB,
        corsPolicy: {
          allowOrigins: [{ exact: 'https://shop.example.com' }],
          allowMethods: ['GET', 'PUT'],
          allowHeaders: ['x-user'],
          exposeHeaders: ['x-trace'],
          maxAge: '600s',
          allowCredentials: true,
        },
      }),
      at('headers', {
        route: [{ ...to(WEB_HOST), headers: { request: { set: { 'x-destination': 'web' } } } }],
        headers: {
          request: { set: { 'x-set': 'route' }, add: { 'x-add': 'route' }, remove: ['x-secret'] },
          response: { set: { 'x-answer': 'route' }, remove: ['content-type'] },
        },
      }),
      at('subset', { route: [to(SPARE_HOST, 'web')] }),
      at('no-subset', { route: [to(SPARE_HOST, 'nobody')] }),
      at('team', { delegate: { name: 'delegated', namespace: 'shop' } }),
    ],
  }),
  virtualServiceManifest('delegated', { http: [at('team/next', { route: [to(SPARE_HOST)] })] }),
  {
    apiVersion: 'networking.mesh.internal/v1beta1',
    kind: 'DestinationRule',
    metadata: { name: 'spare', namespace: 'shop' },
    spec: {
      host: SPARE_HOST,
      subsets: [
        { name: 'web', labels: { app: WEB.name } },
        { name: 'nobody', labels: { app: 'nobody' } },
      ],
    },
  },
];

/** A request from outside of the mesh to the host of that VirtualService. */
export function askFields(
  { secured }: GatewayMesh,
  path: string,
  { headers = {}, ...request }: Partial<HttpRequest> = {},
): Promise<HttpAnswer> {
  const url = `http://${INGRESS.address}:${QUOTA_PORT}${path}`;
  return secured.mesh.rig.routerAgent.request(url, { ...request, headers: { ...headers, host: HOST } });
}

/** The position of the condition whose route took the request; undefined for another route, or none. */
export async function conditionOf(
  gateway: GatewayMesh,
  index: number,
  request: Partial<HttpRequest>,
): Promise<string | undefined> {
  const headers = { ...request.headers, 'x-row': `${index}` };
  const answer = await askFields(gateway, '/', { ...request, headers });
  return answer.headers['x-took'] as string | undefined;
}
