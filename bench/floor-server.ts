import { Server, ServerCredentials, type ServerDuplexStream } from '@grpc/grpc-js';
import { passThrough } from '../src/net/raw-method.js';
import { ADS_METHODS, CLIENT_INDEX_HEADER, type Variant } from './client/ads-stream.js';
import type { FloorCommand, FloorReport } from './floor/floor-protocol.js';
import { buildPhaseScript, type PhaseScript } from './floor/phase-script.js';
import { readDeltaRequestType } from './wire/delta-request.js';
import { readRequestType } from './wire/discovery-request.js';

/**
 * The floor: a bare grpc-js server, forked by the benchmark, that writes recorded bytes. It does only the necessary
 * work: accept streams, read the type of each request, write the messages. Its time and CPU are the minimum for the
 * same work with the same transport, clients and machine.
 */

interface FloorStream {
  readonly clientIndex: number;
  readonly call: ServerDuplexStream<Buffer, Buffer>;
  /** Requests by type since the phase was loaded. */
  requests: Map<string, number>;
}

const streams = new Set<FloorStream>();
let script: PhaseScript = [];

const report = (message: FloorReport) => process.send?.(message);

function write(stream: FloorStream, typeUrl: string | undefined, afterRequests: number): void {
  for (const message of script[stream.clientIndex] ?? []) {
    if (message.afterRequests !== afterRequests) continue;
    if (typeUrl === undefined || message.typeUrl === typeUrl) stream.call.write(message.bytes);
  }
}

function serve(call: ServerDuplexStream<Buffer, Buffer>, readType: (request: Buffer) => string): void {
  const stream: FloorStream = {
    clientIndex: Number(call.metadata.get(CLIENT_INDEX_HEADER)[0]),
    call,
    requests: new Map(),
  };
  streams.add(stream);
  call.on('data', (request: Buffer) => {
    const typeUrl = readType(request);
    const count = (stream.requests.get(typeUrl) ?? 0) + 1;
    stream.requests.set(typeUrl, count);
    write(stream, typeUrl, count);
  });
  call.on('end', () => call.end());
  call.on('cancelled', () => streams.delete(stream));
  call.on('error', () => streams.delete(stream));
}

function obey(command: FloorCommand): void {
  switch (command.kind) {
    case 'load':
      script = buildPhaseScript(command.recording);
      for (const stream of streams) stream.requests = new Map();
      break;
    case 'push':
      for (const stream of streams) write(stream, undefined, 0);
      break;
  }
  report({ kind: 'done' });
}

const server = new Server({ 'grpc.max_receive_message_length': -1, 'grpc.enable_channelz': 0 });
const method = (variant: Variant) => ({
  path: ADS_METHODS[variant],
  requestStream: true as const,
  responseStream: true as const,
  requestSerialize: passThrough,
  requestDeserialize: passThrough,
  responseSerialize: passThrough,
  responseDeserialize: passThrough,
});
type Call = ServerDuplexStream<Buffer, Buffer>;
server.addService(
  { streamAggregatedResources: method('sotw'), deltaAggregatedResources: method('delta') },
  {
    streamAggregatedResources: (call: Call) => serve(call, readRequestType),
    deltaAggregatedResources: (call: Call) => serve(call, readDeltaRequestType),
  },
);
process.on('message', obey);
// Ends when the benchmark ends for any reason.
process.on('disconnect', () => process.exit(0));
server.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, port) => {
  if (error !== null) throw error;
  report({ kind: 'listening', port });
});
