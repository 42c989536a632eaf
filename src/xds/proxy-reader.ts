import { NodeError } from '../model/node-error.js';
import { parseNode } from '../model/parse-node.js';
import type { Proxy } from '../model/proxy.js';
import { LimitError } from './limits/xds-limits.js';
import { MetadataSizeError, type WireNode } from './node-wire.js';
import { StreamError } from './stream-error.js';

/**
 * Reads the node of a stream's first request. An invalid node ends the stream.
 *
 * @param meshDomain domain of the metadata keys that have one
 * @param maxBytes of an encoded node; Envoy sends about 60 KB with all its extensions
 */
export function createProxyReader(
  readNode: (bytes: Uint8Array) => WireNode,
  meshDomain: string,
  maxBytes: number,
): (bytes: Uint8Array) => Proxy {
  return (bytes) => {
    if (bytes.length > maxBytes) {
      throw new LimitError('nodeBytes', `the node has ${bytes.length} bytes, more than ${maxBytes}`);
    }
    try {
      return parseNode(readNode(bytes), meshDomain);
    } catch (cause) {
      if (cause instanceof MetadataSizeError) {
        throw new StreamError('INVALID_ARGUMENT', `the node's metadata cannot be read: it is ${cause.message}`, {
          cause,
        });
      }
      const message = cause instanceof NodeError ? cause.message : 'the node of the first request cannot be decoded';
      throw new StreamError('INVALID_ARGUMENT', message, { cause });
    }
  };
}
