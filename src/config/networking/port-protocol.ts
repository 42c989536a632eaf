/** The protocols of ports in kinds of the mesh, in any case (docs/reference/xds.md#protocol-selection). */
export const KNOWN_PROTOCOLS: readonly string[] = [
  'HTTP',
  'HTTP2',
  'GRPC',
  'GRPC-WEB',
  'HTTPS',
  'TLS',
  'TCP',
  'UDP',
  'MONGO',
  'REDIS',
  'MYSQL',
  'THRIFT',
];

export function isKnownProtocol(protocol: string): boolean {
  return KNOWN_PROTOCOLS.includes(protocol.toUpperCase());
}

export function isHttpProtocol(protocol: string): boolean {
  return ['HTTP', 'HTTP2', 'GRPC', 'GRPC-WEB'].includes(protocol.toUpperCase());
}

export function isTlsProtocol(protocol: string): boolean {
  return ['HTTPS', 'TLS'].includes(protocol.toUpperCase());
}
