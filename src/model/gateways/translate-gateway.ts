import { normalizeIpv6 } from '../../base/ip-address.js';
import type { GatewayServerSpec, GatewaySpec } from '../../config/networking/gateway.js';
import { localPortOf } from '../../config/networking/gateway-rules.js';
import { keyOf, type MeshObject } from '../../config/object.js';
import { authorNamespaceOf } from '../derived/source-keys.js';
import type { Protocol } from '../service.js';
import type { DefaultEndpoint, GatewayServer, ServerHost } from './gateway-server.js';
import { translateServerTls } from './server-tls.js';

const PROTOCOLS: Readonly<Record<string, Protocol>> = {
  HTTP: 'http',
  HTTP2: 'http2',
  GRPC: 'grpc',
  'GRPC-WEB': 'grpc-web',
  HTTPS: 'https',
  TLS: 'tls',
  TCP: 'tcp',
  MONGO: 'mongo',
  REDIS: 'redis',
  MYSQL: 'mysql',
  THRIFT: 'thrift',
};

/** The servers of a Gateway, whose spec has passed validation. */
export function translateServers(object: MeshObject, { servers }: GatewaySpec): readonly GatewayServer[] {
  const { namespace, name } = object.metadata;
  const place = {
    gateway: `${namespace}/${name}`,
    object: keyOf(object),
    author: authorNamespaceOf(object),
    isDerived: object.derivedFrom !== undefined,
  };
  return servers.map((server, index) => ({ ...place, index, ...translateServer(server, namespace) }));
}

function translateServer(
  { port, bind = '', hosts, tls, defaultEndpoint, name = '' }: GatewayServerSpec,
  namespace: string,
): Omit<GatewayServer, 'gateway' | 'object' | 'author' | 'isDerived' | 'index'> {
  const protocol = PROTOCOLS[port.protocol.toUpperCase()] ?? 'tcp';
  const decrypts = protocol === 'https' || protocol === 'tls';
  return {
    name,
    port: port.number,
    portName: port.name,
    protocol,
    targetPort: port.targetPort,
    bind: bind === '' ? '' : normalizeIpv6(bind),
    hosts: translateHosts(hosts, namespace),
    redirectsToHttps: !decrypts && tls?.httpsRedirect === true,
    tls: decrypts && tls !== undefined ? translateServerTls(tls) : undefined,
    defaultEndpoint: defaultEndpoint === undefined ? undefined : translateEndpoint(defaultEndpoint),
  };
}

function translateHosts(hosts: readonly string[], ownNamespace: string): readonly ServerHost[] {
  const known = new Map<string, ServerHost>();
  for (const text of hosts) {
    const slash = text.indexOf('/');
    const named = slash < 0 ? '*' : text.slice(0, slash);
    const namespace = named === '.' ? ownNamespace : named;
    const host = text
      .slice(slash + 1)
      .toLowerCase()
      .replace(/\.$/, '');
    known.set(`${namespace}/${host}`, { namespace, host });
  }
  return [...known.values()];
}

function translateEndpoint(endpoint: string): DefaultEndpoint {
  const port = localPortOf(endpoint);
  return port === undefined ? { type: 'socket', path: endpoint.slice('unix://'.length) } : { type: 'port', port };
}
