import { ipAddressBytes } from '../../base/ip-address.js';
import type { AttributesSpec, AttributeValueSpec } from '../../config/policy/attributes.js';
import type { Proxy, ProxyMetadata } from '../proxy.js';
import { LABELS_ATTRIBUTE, type LabelSet } from './label-conditions.js';
import type { Direction } from './proxy-policy.js';

/** The fields of a node that identify a proxy; only its first address counts. */
export type ProxyIdentity = Pick<Proxy, 'id' | 'ipAddresses' | 'configNamespace' | 'version'> & {
  readonly metadata: Pick<ProxyMetadata, 'meshVersion' | 'meshId'>;
  /** Labels that bindings name. */
  readonly labels?: LabelSet;
};

/** `orchestrator://<name.ns>`, with the third part of the node id. */
function proxyUid({ id }: Pick<Proxy, 'id'>): string {
  return `orchestrator://${id.split('~')[2] ?? id}`;
}

/**
 * Attributes of a proxy for every Check and Report of a direction: `mixerAttributes` of its HttpClientConfig and
 * TcpClientConfig (docs/reference/policy-client.md#policy-plugin).
 *
 * @param targetPort inbound: the target port, where it is known
 */
export function filterAttributesOf(proxy: ProxyIdentity, direction: Direction, targetPort?: number): AttributesSpec {
  const uid = textValue(proxyUid(proxy));
  const reporter = { 'context.reporter.uid': uid, 'context.reporter.kind': textValue(direction) };
  if (direction === 'outbound') {
    return attributesOf({
      'source.uid': uid,
      'source.namespace': textValue(proxy.configNamespace),
      ...reporter,
      'context.proxy_version': textValue(proxy.metadata.meshVersion ?? proxy.version),
    });
  }
  return attributesOf({
    'destination.uid': uid,
    'destination.namespace': textValue(proxy.configNamespace),
    'destination.ip': addressValue(proxy.ipAddresses[0]),
    'destination.port': targetPort === undefined ? undefined : { int64Value: targetPort },
    'destination.mesh.id': textValue(proxy.metadata.meshId),
    [LABELS_ATTRIBUTE]: proxy.labels && { stringMapValue: { entries: proxy.labels } },
    ...reporter,
  });
}

/**
 * Attributes that a proxy sends to other proxies: `forwardAttributes` of its HttpClientConfig for outbound. Receivers
 * that do not see the connection of the caller read `source.ip` (docs/reference/policy-client.md#serviceconfig,
 * docs/reference/policy-client.md#httpclientconfig); others use the address of the connection.
 */
export function forwardAttributesOf(
  proxy: Pick<ProxyIdentity, 'id' | 'ipAddresses' | 'configNamespace'>,
): AttributesSpec {
  return attributesOf({
    'source.uid': textValue(proxyUid(proxy)),
    'source.namespace': textValue(proxy.configNamespace),
    'source.ip': addressValue(proxy.ipAddresses[0]),
  });
}

/** Attributes that a proxy sends to the proxy of the policy server: `attributesForMixerProxy` of its transport. */
export function callAttributesOf(proxy: Pick<ProxyIdentity, 'id' | 'ipAddresses'>): AttributesSpec {
  return attributesOf({
    'source.uid': textValue(proxyUid(proxy)),
    'source.ip': addressValue(proxy.ipAddresses[0]),
  });
}

/** Attributes by name. Undefined and empty values are left out. */
export function attributesOf(values: Readonly<Record<string, AttributeValueSpec | undefined>>): AttributesSpec {
  const attributes: Record<string, AttributeValueSpec> = {};
  for (const [name, value] of Object.entries(values)) {
    if (value !== undefined) attributes[name] = value;
  }
  return { attributes };
}

/** Joins attributes; the second value wins where both have a name. */
export function mergeAttributes(first: AttributesSpec, second: AttributesSpec): AttributesSpec {
  return { attributes: { ...first.attributes, ...second.attributes } };
}

export function textValue(value: string | undefined): AttributeValueSpec | undefined {
  return value ? { stringValue: value } : undefined;
}

/** An address in network byte order: 4 bytes or 16. */
function addressValue(address: string | undefined): AttributeValueSpec | undefined {
  const bytes = address === undefined ? undefined : ipAddressBytes(address);
  return bytes && { bytesValue: Buffer.from(bytes).toString('base64') };
}
