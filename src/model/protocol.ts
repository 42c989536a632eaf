/** Application protocols that a service port can carry (BEHAVIOUR 5, "Protocol"). `auto` is sniffed by the proxy. */
export type Protocol =
  | 'http'
  | 'http2'
  | 'grpc'
  | 'grpc-web'
  | 'https'
  | 'tls'
  | 'tcp'
  | 'udp'
  | 'mongo'
  | 'redis'
  | 'mysql'
  | 'thrift'
  | 'auto';
