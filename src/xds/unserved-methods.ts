import type { Server, ServerDuplexStream } from '@grpc/grpc-js';
import { passThrough, rawStreamingMethod } from '../net/raw-method.js';
import type { CallGate } from './call-gate.js';
import { DISCOVERY_METHODS } from './discovery-services.js';
import { runGated } from './gated-call.js';
import { StreamError } from './stream-error.js';

type RawCall = ServerDuplexStream<Buffer, Buffer>;

/**
 * The methods of the discovery services that are not served, behind the gate: whoever may not come in learns nothing
 * else from them than from those that are.
 */
export function addUnservedMethods(server: Server, gate: CallGate): void {
  for (const { service, method, onlyType } of DISCOVERY_METHODS) {
    // The aggregated service has nothing to fetch. On the wire a unary call is a stream of one message.
    const kinds = onlyType === undefined ? ['Delta'] : ['Delta', 'Fetch'];
    for (const name of kinds.map((kind) => method.replace(/^Stream/, kind))) {
      const path = `/${service}/${name}`;
      server.addService(
        { [name]: rawStreamingMethod(path, passThrough) },
        { [name]: (call: RawCall) => void runGated(call, gate, () => refuse(path)) },
      );
    }
  }
}

async function refuse(path: string): Promise<void> {
  throw new StreamError('UNIMPLEMENTED', `The server does not implement the method ${path}`);
}
