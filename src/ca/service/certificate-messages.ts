import protobuf from 'protobufjs';

/** mesh.ca.v1.MeshCertificateRequest */
export interface MeshCertificateRequest {
  readonly csr: string;
  /** Seconds; any int64. */
  readonly validitySeconds: number;
}

const LENGTH_DELIMITED = 2;
const CSR_TAG = (1 << 3) | LENGTH_DELIMITED;
const VALIDITY_TAG = 3 << 3;
const CERT_CHAIN_TAG = (1 << 3) | LENGTH_DELIMITED;

/**
 * Reads a request of `proto/mesh/ca/v1/ca.proto`.
 *
 * @throws Error for bytes that are not such a message
 */
export function readCertificateRequestMessage(bytes: Uint8Array): MeshCertificateRequest {
  const reader = protobuf.Reader.create(bytes);
  let csr = '';
  let validitySeconds = 0;
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    // The library returns the available part of a truncated text.
    if (tag === CSR_TAG) csr = Buffer.from(reader.bytes()).toString('utf8');
    else if (tag === VALIDITY_TAG) validitySeconds = Number(reader.int64().toString());
    else reader.skipType(tag & 7);
  }
  return { csr, validitySeconds };
}

/** @param certificateChain PEM texts of mesh.ca.v1.MeshCertificateResponse */
export function encodeCertificateResponse(certificateChain: readonly string[]): Buffer {
  const writer = protobuf.Writer.create();
  for (const text of certificateChain) writer.uint32(CERT_CHAIN_TAG).string(text);
  return Buffer.from(writer.finish());
}

/** Encodes a request without a duration: the authority decides. @param csr PEM */
export function encodeCertificateRequest(csr: string): Buffer {
  return Buffer.from(protobuf.Writer.create().uint32(CSR_TAG).string(csr).finish());
}

/**
 * The PEM texts of a response: the leaf, then the intermediates if there are any, then the roots.
 *
 * @throws Error for bytes that are not a MeshCertificateResponse
 */
export function readCertificateResponse(bytes: Uint8Array): readonly string[] {
  const reader = protobuf.Reader.create(bytes);
  const chain: string[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === CERT_CHAIN_TAG) chain.push(reader.string());
    else reader.skipType(tag & 7);
  }
  return chain;
}
