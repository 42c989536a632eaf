import { Server, ServerCredentials } from '@grpc/grpc-js';
import { rawMethod } from '../src/net/raw-method.js';

/**
 * The floor of a check, forked by the benchmark: a bare grpc-js server that allows every request without reading it.
 * Its latency is the minimum of any policy server on this transport.
 */

const CHECK_METHOD = '/envoy.service.auth.v3.Authorization/Check';

/** A CheckResponse whose status is an empty google.rpc.Status: allowed. */
const ALLOWED = Buffer.from([0x0a, 0x00]);

const server = new Server({ 'grpc.enable_channelz': 0 });
server.addService(
  {
    check: rawMethod(CHECK_METHOD),
  },
  { check: (_call: unknown, answer: (error: null, response: Buffer) => void) => answer(null, ALLOWED) },
);
// Ends when the benchmark ends for any reason.
process.on('disconnect', () => process.exit(0));
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.send?.(port);
});
