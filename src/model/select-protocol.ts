import type { Protocol } from './service.js';

const BY_NAME: ReadonlyMap<string, Protocol> = new Map<string, Protocol>([
  ['http', 'http'],
  ['http2', 'http2'],
  ['h2c', 'http2'],
  ['kubernetes.io/h2c', 'http2'],
  ['kubernetes.io/ws', 'http'],
  ['kubernetes.io/wss', 'tls'],
  ['grpc', 'grpc'],
  ['grpc-web', 'grpc-web'],
  ['https', 'https'],
  ['tls', 'tls'],
  ['tcp', 'tcp'],
  ['udp', 'udp'],
  ['mongo', 'mongo'],
  ['redis', 'redis'],
  ['mysql', 'mysql'],
  ['thrift', 'thrift'],
]);

/** Ports on which the server speaks first, so that nothing can be sniffed. */
const TCP_PORTS: ReadonlySet<number> = new Set([25, 53, 3306, 27017]);

/** What a service port says about its protocol. */
export interface PortDescription {
  readonly number: number;
  readonly name: string;
  /** `TCP` or `UDP`; SCTP ports are not served at all. */
  readonly transport: string;
  /** Absent when the port does not state one. */
  readonly appProtocol?: string | undefined;
}

/**
 * The protocol of a Kubernetes service port (docs/reference/xds.md#protocol-selection): the transport when that is UDP,
 * else appProtocol, else the port name up to the first `-`, else TCP on well-known ports, else `auto`. An appProtocol
 * that we do not know says that the port is none of ours, so the proxy is left to find out.
 */
export function selectProtocol({ number, name, transport, appProtocol }: PortDescription): Protocol {
  if (transport === 'UDP') return 'udp';
  const stated = appProtocol === undefined || appProtocol === '' ? protocolOfName(name) : parseProtocol(appProtocol);
  return stated ?? unstatedProtocol(number);
}

/** The protocol of a ServiceEntry port, which states it outright; empty or unknown text is as good as none. */
export function selectStatedProtocol(number: number, stated: string): Protocol {
  return parseProtocol(stated) ?? unstatedProtocol(number);
}

function unstatedProtocol(number: number): Protocol {
  return TCP_PORTS.has(number) ? 'tcp' : 'auto';
}

function parseProtocol(text: string): Protocol | undefined {
  return BY_NAME.get(text.toLowerCase());
}

function protocolOfName(name: string): Protocol | undefined {
  const text = name.toLowerCase();
  // The one protocol with the separator in its own name.
  if (text === 'grpc-web' || text.startsWith('grpc-web-')) return 'grpc-web';
  const end = text.indexOf('-');
  return BY_NAME.get(end === -1 ? text : text.slice(0, end));
}
