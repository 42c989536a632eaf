import test from 'ava';
import { createClusterGenerator } from '../../../src/generators/clusters/cluster-generator.js';
import { createGatewayRouteGenerator } from '../../../src/generators/gateways/gateway-route-generator.js';
import { createGatewayRouter } from '../../../src/generators/gateways/gateway-router.js';
import { createListenerGenerator } from '../../../src/generators/listeners/listener-generator.js';
import { readGoldenCase } from '../golden-case.js';
import { at, ENCODER, generateAll, toJson } from '../served-resources.js';

const gateway = (name: string, port: object) => `
---
apiVersion: networking.mesh.internal/v1beta1
kind: Gateway
metadata: {name: ${name}, namespace: edge}
spec: {selector: {app: ingress}, servers: [{port: ${JSON.stringify(port)}, hosts: ['*']}]}
`;
const service = (name: string) => `
---
apiVersion: v1
kind: Service
metadata: {name: ${name}}
spec: {clusterIP: 10.96.0.1, ports: [{name: http, port: 80}]}
`;
const CASE = `
proxies:
  ingress:
    id: router~10.0.9.1~ingress-1.edge~edge.svc.cluster.local
    metadata: {LABELS: {app: ingress}}
  sidecar:
    id: sidecar~10.0.9.2~client.edge~edge.svc.cluster.local
${gateway('a', { number: 80, name: 'http', protocol: 'HTTP' })}
${gateway('b', { number: 80, name: 'tcp', protocol: 'TCP' })}
${gateway('c', { number: 81, name: 'tcp', protocol: 'TCP' })}
${['routed', 'other'].map(service).join('')}
---
apiVersion: networking.mesh.internal/v1beta1
kind: VirtualService
metadata: {name: routed}
spec:
  hosts: [shop.example.com]
  gateways: [edge/a]
  http: [{route: [{destination: {host: routed}}]}]
`;

const read = () => readGoldenCase('filtered', CASE);

test('with NAV_FILTER_GATEWAY_CLUSTER_CONFIG a router gets only clusters that its virtual services lead to', (t) => {
  const { context, settings, proxies } = read();
  const hostsFor = (title: string, filterGatewayClusters: boolean) => {
    const proxy = proxies.get(title);
    if (proxy === undefined) throw new Error(title);
    const generator = createClusterGenerator(ENCODER, { ...settings, filterGatewayClusters });
    const names = generateAll(generator, context, proxy).resources.map(({ name }) => name);
    return names.filter((name) => name.startsWith('outbound|'));
  };
  const [routed, other] = ['routed', 'other'].map((name) => `outbound|80||${name}.default.svc.cluster.local`);
  t.deepEqual(hostsFor('ingress', true), [routed]);
  t.deepEqual(hostsFor('ingress', false).sort(), [other, routed].sort());
  t.deepEqual(hostsFor('sidecar', true).sort(), [other, routed].sort());
});

test('routes of a gateway have the timeout of MESH_DEFAULT_REQUEST_TIMEOUT', (t) => {
  const { context, settings, proxies } = read();
  const proxy = proxies.get('ingress');
  if (proxy === undefined) throw new Error('the case has no router');
  const timeoutWith = (defaultRequestTimeoutMs: number) => {
    const generator = createGatewayRouteGenerator(
      ENCODER,
      createGatewayRouter({ ...settings, defaultRequestTimeoutMs }),
    );
    const table = generator.generate(context, generator.scope(context, proxy), 'http.80');
    return table && at(toJson(table), 'virtualHosts.0.routes.0.route.timeout');
  };
  t.is(timeoutWith(1500), '1.5s');
  t.is(timeoutWith(0), '0s');
});

test('a server that loses its port, and one without routes, is a finding that names its object and field', (t) => {
  const { context, settings, proxies } = read();
  const proxy = proxies.get('ingress');
  if (proxy === undefined) throw new Error('ingress');
  const { findings } = generateAll(createListenerGenerator(ENCODER, settings), context, proxy);
  t.deepEqual(
    findings.map(({ metric, object, message }) => [metric, object, message.slice(0, 60)]),
    [
      [
        'nav_gateway_servers_rejected',
        'Gateway/edge/b',
        'Gateway/edge/b: spec.servers[0].port is plaintext bytes, but',
      ],
      [
        'nav_gateway_servers_rejected',
        'Gateway/edge/c',
        'Gateway/edge/c: spec.servers[0] has no route for its connect',
      ],
    ],
  );
});
