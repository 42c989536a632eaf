import { type ChannelCredentials, Client, type Metadata } from '@grpc/grpc-js';
import { encodeCertificateRequest, readCertificateResponse } from '../ca/service/certificate-messages.js';
import { CREATE_CERTIFICATE_PATH } from '../ca/service/certificate-service.js';
import { OWN_CONNECTION } from '../net/own-connection.js';
import { passThrough } from '../net/raw-method.js';

export interface CertificateCallSettings {
  /** `host:port` of the secured listener of the control plane. */
  readonly address: string;
  /** Name that the certificate of the control plane must have; empty: the host of `address`. */
  readonly serverName: string;
  /** Called for each request, because kubelets replace tokens and roots. Throws if they cannot be read. */
  readonly credentials: () => { readonly channel: ChannelCredentials; readonly metadata: Metadata };
}

/**
 * Has a PKCS #10 request signed.
 *
 * @returns PEM: the leaf, then its intermediates
 * @throws Error with the reason of the control plane
 */
export type RequestCertificate = (csr: string) => Promise<string>;

const DEADLINE_MS = 20_000;
/** A chain with its roots has a few kilobytes. */
const MAX_RESPONSE_BYTES = 1024 * 1024;

/** Calls CreateCertificate, each time over a new connection. */
export function createCertificateCall({
  address,
  serverName,
  credentials,
}: CertificateCallSettings): RequestCertificate {
  return async (csr) => {
    const { channel, metadata } = credentials();
    const client = new Client(address, channel, {
      ...OWN_CONNECTION,
      'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
      ...(serverName === '' ? {} : { 'grpc.ssl_target_name_override': serverName }),
    });
    try {
      const response = await new Promise<Buffer>((resolve, reject) => {
        const request = encodeCertificateRequest(csr);
        const deadline = Date.now() + DEADLINE_MS;
        const done = (error: Error | null, bytes?: Buffer): void =>
          bytes === undefined ? reject(error ?? new Error('the response is empty')) : resolve(bytes);
        client.makeUnaryRequest(
          CREATE_CERTIFICATE_PATH,
          passThrough,
          passThrough,
          request,
          metadata,
          { deadline },
          done,
        );
      });
      // The last text is the roots, which come from their own file.
      const certificateChain = readCertificateResponse(response).slice(0, -1).join('');
      if (certificateChain === '') throw new Error('the response of the control plane has no certificate');
      return certificateChain;
    } finally {
      client.close();
    }
  };
}
