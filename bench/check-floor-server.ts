import { Server, ServerCredentials } from '@grpc/grpc-js';
import { rawMethod } from '../src/net/raw-method.js';

/**
 * The floor of a check, forked by the bench: a bare grpc-js server that allows every request without reading what it
 * is. What Envoy waits for it is what any policy server on this transport costs at least.
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
// The bench is gone, however it ended: so is its floor.
process.on('disconnect', () => process.exit(0));
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  process.send?.(port);
});
