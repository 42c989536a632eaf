import { type ChannelCredentials, Client, Metadata, status } from '@grpc/grpc-js';
import protobuf from 'protobufjs';

/** The messages as any client has them: from the published file. */
const protos = protobuf.loadSync(new URL('../../../../proto/mesh/ca/v1/ca.proto', import.meta.url).pathname);
const requestType = protos.lookupType('mesh.ca.v1.MeshCertificateRequest');
const responseType = protos.lookupType('mesh.ca.v1.MeshCertificateResponse');
const PATH = '/mesh.ca.v1.MeshCertificateService/CreateCertificate';

export interface CertificateCall {
  readonly metadata?: Readonly<Record<string, string>>;
  readonly csr?: string;
  /** Seconds, as text for what no number can be. */
  readonly validity?: number | string;
  /** In place of an encoded request. */
  readonly bytes?: Buffer;
}

export interface CertificateAnswer {
  /** gRPC status, such as `OK`. */
  readonly code: string;
  readonly details: string;
  readonly chain: readonly string[];
}

/** Calls CreateCertificate. */
export interface CertificateClient {
  create(call: CertificateCall): Promise<CertificateAnswer>;
  close(): void;
}

/** @param serverName that the server's certificate must have */
export function createCertificateClient(
  port: number,
  channel: ChannelCredentials,
  serverName: string,
): CertificateClient {
  const client = new Client(`127.0.0.1:${port}`, channel, {
    'grpc.ssl_target_name_override': serverName,
    'grpc.use_local_subchannel_pool': 1,
  });
  return {
    create: ({ metadata = {}, csr = '', validity = 0, bytes }) => {
      const sent = new Metadata();
      for (const [key, value] of Object.entries(metadata)) sent.set(key, value);
      const request = requestType.encode(requestType.fromObject({ csr, validityDuration: validity })).finish();
      const same = (message: Buffer): Buffer => message;
      return new Promise((resolve) => {
        client.makeUnaryRequest(PATH, same, same, bytes ?? Buffer.from(request), sent, (error, answer) => {
          resolve({
            code: status[error?.code ?? status.OK],
            details: error?.details ?? '',
            chain: answer === undefined ? [] : readChain(answer),
          });
        });
      });
    },
    close: () => client.close(),
  };
}

function readChain(answer: Buffer): readonly string[] {
  const { certChain } = responseType.toObject(responseType.decode(answer), { arrays: true });
  return certChain as readonly string[];
}
