import { ipFamilyOf, normalizeIpv6 } from '../base/ip-address.js';
import { DEFAULT_MESH_DOMAIN } from '../config/mesh-domain.js';
import { NodeError, quoteForMessage } from './node-error.js';
import { type NodeMetadata, parseNodeMetadata } from './node-metadata.js';
import type { Proxy, ProxyMetadata, ProxyType } from './proxy.js';

/** The fields of an Envoy node that identify a proxy. */
export interface NodeDescription {
  readonly id: string;
  readonly metadata: NodeMetadata;
  readonly locality: { readonly region: string; readonly zone: string; readonly subZone: string };
  /** Version of the proxy's own build; empty when it does not say. */
  readonly userAgentVersion: string;
  /** Name of the proxy's program, for example `envoy` or `gRPC Go`; absent where the node does not say. */
  readonly userAgentName?: string;
}

/** Every gRPC library names itself so: `gRPC Go`, `gRPC C-core linux`, `gRPC Node Pure JS`. */
const GRPC_USER_AGENT = 'gRPC ';

/** Real node ids are shorter: names and domains together stay below 1 KiB. */
const MAX_ID_LENGTH = 2048;
const MAX_LOCALITY_LENGTH = 256;
const MAX_VERSION_LENGTH = 64;
const MAX_ADDRESSES = 64;

/**
 * Reads the identity of a proxy from its node, whose id is `<sidecar|router>~<ip>~<name.ns>~<ns.svc.domain>`
 * (docs/reference/xds.md#node). Any input gives a Proxy or a NodeError.
 *
 * @param meshDomain domain of the metadata keys that have one
 * @throws NodeError
 */
export function parseNode(node: NodeDescription, meshDomain: string = DEFAULT_MESH_DOMAIN): Proxy {
  const { id } = node;
  if (id === '') throw new NodeError('MISSING_NODE_ID', 'missing node ID: the first request of a stream must carry it');
  if (id.length > MAX_ID_LENGTH) {
    throw new NodeError(
      'INVALID_NODE_ID',
      `node ID ${quoteForMessage(id)} has ${id.length} characters, at most ${MAX_ID_LENGTH} are taken`,
    );
  }
  if (hasControlCharacter(id)) {
    throw new NodeError(
      'INVALID_NODE_ID',
      `node ID ${quoteForMessage(id)} has control characters, which no name may have`,
    );
  }
  const parts = id.split('~');
  const [type, address, fullName, dnsDomain] = parts as [string, string, string, string];
  if (parts.length !== 4 || fullName === '') {
    throw new NodeError(
      'MISSING_PARTS',
      `missing parts in the service node ${quoteForMessage(id)}: it has to be <sidecar|router>~<ip>~<name.ns>~<ns.svc.domain>`,
    );
  }
  if (!isProxyType(type)) {
    throw new NodeError(
      'INVALID_NODE_TYPE',
      `invalid node type (valid types: sidecar, router) in the service node ${quoteForMessage(id)}`,
    );
  }
  const metadata = parseNodeMetadata(node.metadata, meshDomain);
  const ipAddresses = addressesOf(address, metadata.instanceIps);
  if (ipAddresses.length === 0) {
    throw new NodeError(
      'NO_VALID_IP',
      `no valid IP address in the service node id or metadata: the second part of ${quoteForMessage(id)} or INSTANCE_IPS has to have one`,
    );
  }
  return {
    id,
    type,
    ipAddresses,
    name: nameOf(fullName),
    configNamespace: metadata.namespace ?? dnsDomain.split('.', 1)[0] ?? '',
    dnsDomain,
    locality: localityOf(node.locality),
    version: node.userAgentVersion.slice(0, MAX_VERSION_LENGTH),
    metadata,
    ...(isProxyless(node, metadata) ? { isProxyless: true } : {}),
    ...(metadata.generator === 'api' ? { isApiClient: true } : {}),
    ...(metadata.generator === 'event' ? { isEventClient: true } : {}),
    // A node proves nothing: the authentication of the stream decides.
    hasSecrets: false,
  };
}

function isProxyless({ userAgentName = '' }: NodeDescription, { generator }: ProxyMetadata): boolean {
  return generator === 'grpc' || userAgentName.startsWith(GRPC_USER_AGENT);
}

function isProxyType(text: string): text is ProxyType {
  return text === 'sidecar' || text === 'router';
}

/** The name of a workload may contain dots, its namespace may not. */
function nameOf(fullName: string): string {
  const end = fullName.lastIndexOf('.');
  return end === -1 ? fullName : fullName.slice(0, end);
}

function addressesOf(ofId: string, instanceIps: readonly string[]): readonly string[] {
  const addresses = new Set<string>();
  for (const text of [ofId, ...instanceIps.slice(0, MAX_ADDRESSES)]) {
    const address = text.trim();
    if (ipFamilyOf(address) !== undefined) addresses.add(normalizeIpv6(address));
  }
  return [...addresses];
}

function localityOf({ region, zone, subZone }: NodeDescription['locality']): string {
  return [region, zone, subZone]
    .map((part) => part.slice(0, MAX_LOCALITY_LENGTH))
    .join('/')
    .replace(/\/+$/, '');
}

function hasControlCharacter(text: string): boolean {
  for (let index = 0; index < text.length; index++) {
    const code = text.charCodeAt(index);
    if (code < 0x20 || (code >= 0x7f && code < 0xa0)) return true;
  }
  return false;
}
