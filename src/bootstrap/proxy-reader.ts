import { NodeError } from '../model/node-error.js';
import { parseNode } from '../model/parse-node.js';
import type { Proxy } from '../model/proxy.js';
import type { WireNode } from '../xds/node-wire.js';
import { StreamError } from '../xds/stream-error.js';

/**
 * Reads the node of a stream's first request; what is wrong with it ends the stream.
 *
 * @param meshDomain domain of the metadata keys that have one
 */
export function createProxyReader(
  readNode: (bytes: Uint8Array) => WireNode,
  meshDomain: string,
): (bytes: Uint8Array) => Proxy {
  return (bytes) => {
    try {
      return parseNode(readNode(bytes), meshDomain);
    } catch (cause) {
      const message = cause instanceof NodeError ? cause.message : 'the node of the first request cannot be decoded';
      throw new StreamError('INVALID_ARGUMENT', message, { cause });
    }
  };
}
