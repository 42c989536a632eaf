import { parseOutboundClusterName } from '../../../envoy/names.js';
import { NodeError } from '../../../model/node-error.js';
import { parseNode } from '../../../model/parse-node.js';
import { filterAttributesOf } from '../../../model/policy/filter-attributes.js';
import { type AttributeLayer, EMPTY_LAYER } from '../../client/attribute-bag.js';
import { readAttributes } from '../../client/attributes-from-config.js';
import { ACCESS_LOG_NAMES } from '../../wire/call-metadata.js';
import type { WireLogMessage, WireNode } from './envoy-messages.js';
import type { LogSide } from './http-log-facts.js';
import { jsonOfStruct } from './wire-values.js';

/** The proxy of an access log, from its first message. */
export interface LogOrigin {
  readonly side: LogSide;
  readonly isGateway: boolean;
  /** The namespace of the proxy in its node; undefined for a node outside of the mesh. */
  readonly namespace?: string | undefined;
  /** Attributes of the proxy, for reports without a Check. */
  readonly staticLayer: AttributeLayer;
}

/** The origin of a log before its first message. */
export const UNKNOWN_ORIGIN: LogOrigin = { side: 'inbound', isGateway: false, staticLayer: EMPTY_LAYER };

/** Undefined for a message that is not the first one. A node outside of the mesh gives no attributes. */
export function readLogOrigin({ identifier }: WireLogMessage): LogOrigin | undefined {
  if (identifier === undefined || identifier === null) return undefined;
  const side = identifier.logName === ACCESS_LOG_NAMES.outbound ? 'outbound' : 'inbound';
  return { side, isGateway: false, staticLayer: EMPTY_LAYER, ...proxyOf(identifier.node ?? {}, side) };
}

/** Host of the service of one of our clusters: `outbound|<port>|<subset>|<host>` and the same with `inbound`. */
export function serviceOfCluster(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  // Inbound clusters have the same form, with the name of the port in place of the subset.
  const outbound = name.startsWith('inbound|') ? `out${name.slice('in'.length)}` : name;
  return parseOutboundClusterName(outbound)?.hostname;
}

function proxyOf({ id = '', metadata }: WireNode, side: LogSide): Partial<LogOrigin> {
  try {
    const proxy = parseNode({
      id,
      metadata: metadata ? jsonOfStruct(metadata) : {},
      locality: { region: '', zone: '', subZone: '' },
      userAgentVersion: '',
    });
    return {
      isGateway: proxy.type === 'router',
      namespace: proxy.configNamespace,
      staticLayer: readAttributes(filterAttributesOf(proxy, side), 'node'),
    };
  } catch (error) {
    if (error instanceof NodeError) return {};
    throw error;
  }
}
