import test from 'ava';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { at } from '../generators/served-resources.js';
import { eventually } from '../support/eventually.js';
import { writeWhole } from '../support/write-whole.js';
import { connectProxy } from './support/connect-proxy.js';
import { documents, endpoints, service, sidecar } from './support/manifests.js';
import type { ProxyClient } from './support/proxy-client.js';
import { startServer } from './support/running-server.js';

const CLUSTER = 'policy_server';
const DISCOVERY = 'defaultConfig: {discoveryAddress: "meshd.shop.svc:15010"}\n';
const POLICIES = `mixerCheckServer: embedded\ndisablePolicyChecks: false\n${DISCOVERY}`;

const clusterOf = (proxy: ProxyClient) => proxy.resource(TypeUrl.cluster, CLUSTER);
const typeOf = (proxy: ProxyClient) => at(clusterOf(proxy), 'type');

test('the policy server of a control plane that is a service is each of its instances, as they come and go', async (t) => {
  const server = await startServer(t, {
    files: { 'web.yaml': documents(service('web'), endpoints('web', '10.0.0.1')) },
  });
  await writeWhole(server.meshConfigFile, POLICIES);
  const proxy = await connectProxy(t, server, sidecar());
  await eventually('the cluster is there', () => clusterOf(proxy) !== undefined);
  t.is(typeOf(proxy), 'STRICT_DNS');
  const port = Number(
    at(clusterOf(proxy), 'loadAssignment.endpoints.0.lbEndpoints.0.endpoint.address.socketAddress.portValue'),
  );

  const meshd = service('meshd', { port, clusterIP: '10.96.0.9' });
  const instances = (...addresses: readonly string[]) =>
    server.folder.write('meshd.yaml', documents(meshd, endpoints('meshd', ...addresses)));
  const assignment = `outbound|${port}||meshd.shop.svc.cluster.local`;
  const addressCount = () =>
    (at(proxy.resource(TypeUrl.endpoint, assignment), 'endpoints.0.lbEndpoints') as unknown[])?.length;
  await instances('10.0.9.1', '10.0.9.2');
  await eventually('it is found by its instances', () => typeOf(proxy) === 'EDS');
  t.is(at(clusterOf(proxy), 'edsClusterConfig.serviceName'), assignment);
  await proxy.settled();
  t.is(addressCount(), 2);

  const clusters = proxy.responsesOf(TypeUrl.cluster);
  await instances('10.0.9.2');
  await eventually('one has ended', () => addressCount() === 1);
  t.is(proxy.responsesOf(TypeUrl.cluster), clusters);

  // The assignment is known and stays as it is, but the cluster that is new waits for it.
  await writeWhole(server.meshConfigFile, DISCOVERY);
  await eventually('the cluster is gone', () => clusterOf(proxy) === undefined);
  await writeWhole(server.meshConfigFile, POLICIES);
  await eventually('the cluster is back', () => typeOf(proxy) === 'EDS');
  await proxy.settled();

  await server.folder.remove('meshd.yaml');
  await eventually('it is found by its name again', () => typeOf(proxy) === 'STRICT_DNS');
});
