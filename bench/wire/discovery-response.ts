import { WireReader } from './wire-reader.js';

/** Field numbers of envoy.service.discovery.v3.DiscoveryResponse that a sidecar's bookkeeping needs. */
const FIELD = { versionInfo: 1, resources: 2, typeUrl: 4, nonce: 5 } as const;
/** Field number of google.protobuf.Any's value. */
const ANY_VALUE = 2;

/** The fields that a client reads of every response; the resources stay bytes. */
export interface ResponseHead {
  readonly versionInfo: string;
  readonly typeUrl: string;
  readonly nonce: string;
  readonly resourceCount: number;
}

/** Reads version, type and nonce and counts the resources, skipping their content. Throws RangeError on garbage. */
export function readResponseHead(message: Buffer): ResponseHead {
  const reader = new WireReader(message);
  let versionInfo = '';
  let typeUrl = '';
  let nonce = '';
  let resourceCount = 0;
  while (reader.next()) {
    if (reader.field === FIELD.resources) resourceCount += 1;
    else if (reader.field === FIELD.versionInfo) versionInfo = reader.text();
    else if (reader.field === FIELD.typeUrl) typeUrl = reader.text();
    else if (reader.field === FIELD.nonce) nonce = reader.text();
  }
  return { versionInfo, typeUrl, nonce, resourceCount };
}

/** Calls back with a reader over each resource's own message (the value of its Any). */
export function forEachResource(message: Buffer, visit: (resource: WireReader) => void): void {
  const reader = new WireReader(message);
  while (reader.next()) {
    if (reader.field !== FIELD.resources) continue;
    const any = reader.message();
    while (any.next()) if (any.field === ANY_VALUE) visit(any.message());
  }
}
