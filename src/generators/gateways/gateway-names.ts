import type { DefaultEndpoint, GatewayServer } from '../../model/gateways/gateway-server.js';
import type { RouterPort } from '../../model/gateways/merge-servers.js';

/** Names of route tables and clusters of gateways (docs/reference/xds.md#gateways). */

/** The table of all plaintext servers of a port: `http.<port>`, with the address behind it where servers name one. */
export function plaintextRouteName({ bind, servers, port }: RouterPort): string {
  const number = servers[0]?.port ?? port;
  return bind === '' ? `http.${number}` : `http.${number}.${bind}`;
}

/** The table of one server that decrypts: `https.<port>.<portName>.<gateway>.<namespace>`. */
export function encryptedRouteName({ port, portName, gateway }: GatewayServer): string {
  const slash = gateway.indexOf('/');
  return `https.${port}.${portName}.${gateway.slice(slash + 1)}.${gateway.slice(0, slash)}`;
}

/** The cluster of an address of the router itself. */
export function defaultEndpointCluster(endpoint: DefaultEndpoint): string {
  return `default-endpoint|${endpoint.type === 'port' ? endpoint.port : endpoint.path}`;
}
