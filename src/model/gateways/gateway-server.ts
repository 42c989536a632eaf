import type { ObjectKey } from '../../config/object.js';
import type { Protocol } from '../service.js';
import type { ServerTls } from './server-tls.js';

/** A host that a server takes. */
export interface ServerHost {
  /** The namespace whose virtual services may bind to the host; `*` for all. */
  readonly namespace: string;
  /** In lower case; the first label may be `*`, and `*` alone is every host. */
  readonly host: string;
}

/** One server of a Gateway. */
export interface GatewayServer {
  /** `<namespace>/<name>`, as virtual services name it. */
  readonly gateway: string;
  readonly object: ObjectKey;
  /** The namespace of the author: that of the Gateway, or of the object from which it is made. */
  readonly author: string;
  /** Whether the Gateway is made from another object. */
  readonly isDerived: boolean;
  /** Position among the servers of its object. */
  readonly index: number;
  /** Whether it is a listener of a Gateway of the Gateway API. */
  readonly isListener?: true;
  /** Empty without a name. */
  readonly name: string;
  /** The port that clients connect to. */
  readonly port: number;
  readonly portName: string;
  readonly protocol: Protocol;
  /** The port that the router listens on; undefined: that of the router's own service, else `port`. */
  readonly targetPort: number | undefined;
  /** IP address to listen on; empty for all. */
  readonly bind: string;
  /** At least one, each once. */
  readonly hosts: readonly ServerHost[];
  /** Whether plaintext requests are redirected to https. */
  readonly redirectsToHttps: boolean;
  /** Undefined for plaintext. */
  readonly tls: ServerTls | undefined;
  /** Takes what no virtual service routes; undefined for nothing. */
  readonly defaultEndpoint: DefaultEndpoint | undefined;
}

/** Path of a server in its object. */
export function serverField({ index, isListener }: Pick<GatewayServer, 'index' | 'isListener'>): string {
  return `spec.${isListener === true ? 'listeners' : 'servers'}[${index}]`;
}

/** An address of the router itself. */
export type DefaultEndpoint =
  | { readonly type: 'port'; readonly port: number }
  | { readonly type: 'socket'; readonly path: string };

/**
 * How connections of a server are handled: `http` request by request, `tcp` as bytes, both after decryption where the
 * router has a certificate; `passthrough` as encrypted bytes by server name; `autoPassthrough` likewise, to the service
 * that the server name encodes.
 */
export type ServerTraffic = 'http' | 'tcp' | 'passthrough' | 'autoPassthrough';

export function trafficOfServer({ protocol, tls }: Pick<GatewayServer, 'protocol' | 'tls'>): ServerTraffic {
  if (tls?.mode === 'passthrough' || tls?.mode === 'autoPassthrough') return tls.mode;
  switch (protocol) {
    case 'http':
    case 'http2':
    case 'grpc':
    case 'grpc-web':
    case 'https':
      return 'http';
    default:
      return 'tcp';
  }
}
