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

/** Ports on which the server speaks first: sniffing would wait for the client. */
const TCP_PORTS: ReadonlySet<number> = new Set([25, 53, 3306, 27017]);

/** The fields of a service port that state its protocol. */
export interface PortDescription {
  readonly number: number;
  readonly name: string;
  /** `TCP` or `UDP`; SCTP ports are ignored. */
  readonly transport: string;
  /** Absent when the port does not state one. */
  readonly appProtocol?: string | undefined;
}

/**
 * The protocol of a Kubernetes service port (docs/reference/xds.md#protocol-selection): UDP by its transport, else by
 * appProtocol, else by the port name up to the first `-`, else TCP on well-known ports, else `auto`. An unknown
 * appProtocol gives `auto`, so that the proxy sniffs.
 */
export function selectProtocol({ number, name, transport, appProtocol }: PortDescription): Protocol {
  if (transport === 'UDP') return 'udp';
  const stated = appProtocol === undefined || appProtocol === '' ? protocolOfName(name) : parseProtocol(appProtocol);
  return stated ?? unstatedProtocol(number);
}

/** The protocol of a ServiceEntry port; empty and unknown text counts as absent. */
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
  // The only protocol whose name contains the separator.
  if (text === 'grpc-web' || text.startsWith('grpc-web-')) return 'grpc-web';
  const end = text.indexOf('-');
  return BY_NAME.get(end === -1 ? text : text.slice(0, end));
}
