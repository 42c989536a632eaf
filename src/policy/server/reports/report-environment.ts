import type { AttributeLayer } from '../../client/attribute-bag.js';
import type { CompiledServices } from '../compiled-services.js';
import type { ForwardedAttributes } from '../forwarded-texts.js';
import type { TcpConnections } from '../tcp-connections.js';

/** What making reports of log entries needs beside the entries. */
export interface ReportEnvironment {
  readonly services: CompiledServices;
  /** Reads the header x-mesh-attributes. */
  readonly forwarded: (text: string | undefined) => ForwardedAttributes;
  /** Reads what a Check has left; nothing for what is none. */
  readonly attributesOf: (text: string | undefined) => AttributeLayer;
  readonly connections: TcpConnections;
}
