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

/** Whose access log it is: what its first message says, for all its entries. */
export interface LogOrigin {
  readonly side: LogSide;
  readonly isGateway: boolean;
  /** Of the proxy, as its node says; undefined for a node that is none of the mesh's. */
  readonly namespace?: string | undefined;
  /** What the proxy knows of itself, for reports without a Check. */
  readonly staticLayer: AttributeLayer;
}

/** The origin of a log whose first message has not come. */
export const UNKNOWN_ORIGIN: LogOrigin = { side: 'inbound', isGateway: false, staticLayer: EMPTY_LAYER };

/** Undefined when the message is not the first of its stream. A node that is none of the mesh's leaves no attributes. */
export function readLogOrigin({ identifier }: WireLogMessage): LogOrigin | undefined {
  if (identifier === undefined || identifier === null) return undefined;
  const side = identifier.logName === ACCESS_LOG_NAMES.outbound ? 'outbound' : 'inbound';
  return { side, isGateway: false, staticLayer: EMPTY_LAYER, ...proxyOf(identifier.node ?? {}, side) };
}

/** Host of the service that a cluster of ours leads to: `outbound|<port>|<subset>|<host>` and its inbound like. */
export function serviceOfCluster(name: string | undefined): string | undefined {
  if (name === undefined) return undefined;
  // Inbound clusters have the same form, with the port's name where the others have a subset.
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
