import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { rawMethod } from '../src/net/raw-method.js';

/**
 * The floors of a check, forked by the benchmark: bare servers that allow every request without reading it, on grpc-js
 * (`grpc`) or on Node's HTTP server (`http`). Their latency is the minimum of any policy server on these libraries.
 */

const CHECK_METHOD = '/envoy.service.auth.v3.Authorization/Check';

/** A CheckResponse whose status is an empty google.rpc.Status: allowed. */
const ALLOWED = Buffer.from([0x0a, 0x00]);

const report = (port: number): void => {
  process.send?.(port);
};

function serveGrpc(): void {
  const server = new Server({ 'grpc.enable_channelz': 0 });
  const check = (_call: unknown, answer: (error: null, response: Buffer) => void): void => answer(null, ALLOWED);
  server.addService({ check: rawMethod(CHECK_METHOD) }, { check });
  server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
    if (error !== null) throw error;
    report(port);
  });
}

function serveHttp(): void {
  const server = createServer((_request, response) => {
    response.writeHead(200, { 'content-length': 0 }).end();
  });
  server.listen(0, '127.0.0.1', () => report((server.address() as AddressInfo).port));
}

// Ends when the benchmark ends for any reason.
process.on('disconnect', () => process.exit(0));
if (process.argv[2] === 'http') serveHttp();
else serveGrpc();
