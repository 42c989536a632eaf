import { Server, ServerCredentials, type ServerUnaryCall, type sendUnaryData } from '@grpc/grpc-js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';

/**
 * A program: an authorization server that allows all requests and prints each Check as one JSON line. Argument: the
 * address to listen on, `host:port`.
 */

/** A Check as tests read it. */
export interface PrintedCheck {
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Undefined for a connection. */
  readonly path: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly contextExtensions: Readonly<Record<string, string>>;
}

interface CheckRequest {
  readonly attributes?: {
    readonly request?: { readonly http?: { readonly path?: string; readonly headers?: Record<string, string> } };
    readonly contextExtensions?: Record<string, string>;
  };
}

const protos = loadProtoRegistry();
const request = protos.type('envoy.service.auth.v3.CheckRequest');
const response = protos.type('envoy.service.auth.v3.CheckResponse');
const allowed = Buffer.from(response.encode(response.fromObject({ status: { code: 0 }, okResponse: {} })).finish());

const server = new Server();
server.addService(
  {
    Check: {
      path: '/envoy.service.auth.v3.Authorization/Check',
      requestStream: false,
      responseStream: false,
      requestSerialize: (bytes: Buffer) => bytes,
      requestDeserialize: (bytes: Buffer) => request.toObject(request.decode(bytes)) as CheckRequest,
      responseSerialize: (bytes: Buffer) => bytes,
      responseDeserialize: (bytes: Buffer) => bytes,
    },
  },
  {
    Check: (call: ServerUnaryCall<CheckRequest, Buffer>, callback: sendUnaryData<Buffer>) => {
      const { request: asked, contextExtensions = {} } = call.request.attributes ?? {};
      const printed: PrintedCheck = {
        metadata: call.metadata.getMap(),
        path: asked?.http?.path,
        headers: asked?.http?.headers ?? {},
        contextExtensions,
      };
      process.stdout.write(`${JSON.stringify(printed)}\n`);
      callback(null, allowed);
    },
  },
);
server.bindAsync(process.argv[2] ?? '', ServerCredentials.createInsecure(), (error) => {
  if (error !== null) throw error;
  process.stdout.write('"listening"\n');
});
