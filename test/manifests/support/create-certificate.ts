import { Client, credentials, Metadata, status } from '@grpc/grpc-js';

export interface CertificateCall {
  /** `127.0.0.1:<port>` of the secured listener. */
  readonly address: string;
  /** PEM */
  readonly roots: string;
  readonly token: string;
}

const asBytes = (bytes: Buffer): Buffer => bytes;

/** Calls CreateCertificate with an empty request, as a workload calls the service `meshd`. @returns the status' name */
export async function createCertificate({ address, roots, token }: CertificateCall): Promise<string> {
  const client = new Client(address, credentials.createSsl(Buffer.from(roots)), {
    'grpc.ssl_target_name_override': 'meshd.mesh-system.svc',
  });
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const path = '/mesh.ca.v1.MeshCertificateService/CreateCertificate';
  try {
    return await new Promise((resolve) => {
      client.makeUnaryRequest(
        path,
        asBytes,
        asBytes,
        Buffer.alloc(0),
        metadata,
        { deadline: Date.now() + 30_000 },
        (error) => resolve(status[error?.code ?? status.OK]),
      );
    });
  } finally {
    client.close();
  }
}
