import test from 'ava';
import { type GatewayHost, gatewayHosts } from '../../../src/generators/gateways/gateway-hosts.js';
import type { MergedServer } from '../../../src/model/gateways/merge-servers.js';
import type { VirtualHost } from '../../../src/model/traffic/http-route.js';

function server(gateway: string, host: string, fields: Partial<MergedServer> = {}): MergedServer {
  const slash = host.indexOf('/');
  return {
    ...{
      gateway,
      object: `Gateway/${gateway}`,
      author: gateway.split('/')[0] ?? '',
      isDerived: false,
      index: 0,
      name: '',
      port: 80,
      portName: 'http',
      protocol: 'http',
    },
    ...{ targetPort: undefined, bind: '', redirectsToHttps: false, tls: undefined, defaultEndpoint: undefined },
    ...{ hosts: [{ namespace: host.slice(0, slash), host: host.slice(slash + 1) }], traffic: 'http', trusted: false },
    ...fields,
  };
}

/** @param routed hosts of the virtual services of each server */
function hostsOf(routed: ReadonlyMap<MergedServer, readonly string[]>): readonly GatewayHost[] {
  const routing = {
    key: '',
    connectionsOf: () => [],
    virtualHostsOf: (asked: MergedServer) => {
      const virtualHost: VirtualHost = { name: asked.gateway, routes: [] };
      return (routed.get(asked) ?? []).map((host) => ({ hosts: [host], virtualHost }));
    },
  };
  return gatewayHosts([...routed.keys()], routing as never, 80);
}

test('a Gateway of another namespace does not redirect requests to hosts of the operator', (t) => {
  const operator = server('edge/own', '*/*.example.com', { trusted: true });
  const foreign = server('team/foreign', '*/*', { redirectsToHttps: true });
  const hosts = hostsOf(
    new Map([
      [operator, ['a.example.com']],
      [foreign, ['a.example.com', 'a.example.org']],
    ]),
  );
  const redirected = hosts.filter((host) => host.redirectsToHttps).flatMap((host) => host.hosts);
  t.deepEqual(redirected.toSorted(), ['*', 'a.example.org']);
});

test('a Gateway of another namespace routes no host that the operator leaves to a namespace', (t) => {
  const operator = server('edge/own', 'shop/a.example.com', { trusted: true });
  const foreign = server('team/foreign', '*/*');
  const hosts = hostsOf(
    new Map([
      [operator, []],
      [foreign, ['a.example.com', 'b.example.com']],
    ]),
  );
  t.deepEqual(
    hosts.flatMap((host) => host.hosts),
    ['b.example.com'],
  );
});
