import { WireReader } from './wire-reader.js';

/** Field numbers of envoy.service.discovery.v3.DeltaDiscoveryResponse and its Resource. */
const FIELD = { resources: 2, typeUrl: 4, nonce: 5, removed: 6 } as const;
const RESOURCE = { version: 1, any: 2, name: 3 } as const;
/** Field number of google.protobuf.Any's value. */
const ANY_VALUE = 2;

export interface DeltaResponseHead {
  readonly typeUrl: string;
  readonly nonce: string;
  /** Versions by name. */
  readonly versions: readonly (readonly [name: string, version: string])[];
  readonly removed: readonly string[];
}

/** Reads everything but the content of the resources. Throws RangeError on garbage. */
export function readDeltaHead(message: Buffer): DeltaResponseHead {
  const reader = new WireReader(message);
  let [typeUrl, nonce] = ['', ''];
  const versions: [string, string][] = [];
  const removed: string[] = [];
  while (reader.next()) {
    if (reader.field === FIELD.resources) versions.push(readNameAndVersion(reader.message()));
    else if (reader.field === FIELD.typeUrl) typeUrl = reader.text();
    else if (reader.field === FIELD.nonce) nonce = reader.text();
    else if (reader.field === FIELD.removed) removed.push(reader.text());
  }
  return { typeUrl, nonce, versions, removed };
}

/** Calls back with a reader over each resource's own message (the value of its Any). */
export function forEachDeltaResource(message: Buffer, visit: (resource: WireReader) => void): void {
  const reader = new WireReader(message);
  while (reader.next()) {
    if (reader.field !== FIELD.resources) continue;
    const resource = reader.message();
    while (resource.next()) {
      if (resource.field !== RESOURCE.any) continue;
      const any = resource.message();
      while (any.next()) if (any.field === ANY_VALUE) visit(any.message());
    }
  }
}

function readNameAndVersion(resource: WireReader): [string, string] {
  let [name, version] = ['', ''];
  while (resource.next()) {
    if (resource.field === RESOURCE.name) name = resource.text();
    else if (resource.field === RESOURCE.version) version = resource.text();
  }
  return [name, version];
}
