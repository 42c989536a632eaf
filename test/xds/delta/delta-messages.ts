import protobuf from 'protobufjs';

/** The fields of a DeltaDiscoveryRequest. */
export interface DeltaRequestFields {
  readonly node?: string;
  readonly typeUrl?: string;
  readonly subscribe?: readonly string[];
  readonly unsubscribe?: readonly string[];
  /** `initial_resource_versions` by name. */
  readonly versions?: Readonly<Record<string, string>>;
  readonly nonce?: string;
  readonly error?: string;
}

export function deltaRequest(fields: DeltaRequestFields): Buffer {
  const writer = protobuf.Writer.create();
  if (fields.node !== undefined) writer.uint32(0x0a).fork().uint32(0x0a).string(fields.node).ldelim();
  if (fields.typeUrl !== undefined) writer.uint32(0x12).string(fields.typeUrl);
  for (const name of fields.subscribe ?? []) writer.uint32(0x1a).string(name);
  for (const name of fields.unsubscribe ?? []) writer.uint32(0x22).string(name);
  for (const [name, version] of Object.entries(fields.versions ?? {})) {
    writer.uint32(0x2a).fork().uint32(0x0a).string(name).uint32(0x12).string(version).ldelim();
  }
  if (fields.nonce !== undefined) writer.uint32(0x32).string(fields.nonce);
  if (fields.error !== undefined) {
    writer.uint32(0x3a).fork().uint32(0x08).int32(13).uint32(0x12).string(fields.error).ldelim();
  }
  return writer.finish() as Buffer;
}

export interface DeltaResource {
  readonly name: string;
  readonly version: string;
  /** Type of the Any. */
  readonly typeUrl: string;
  /** Value of the Any. */
  readonly body: Buffer;
  readonly aliases: readonly string[];
}

/** A DeltaDiscoveryResponse as a client reads it. */
export interface DeltaResponse {
  readonly typeUrl: string;
  readonly systemVersion: string;
  readonly nonce: string;
  readonly resources: readonly DeltaResource[];
  readonly removed: readonly string[];
  readonly controlPlane: string;
  /** Numbers of other fields. */
  readonly otherFields: readonly number[];
}

export function readDeltaResponse(bytes: Uint8Array): DeltaResponse {
  const reader = protobuf.Reader.create(bytes);
  let [typeUrl, systemVersion, nonce, controlPlane] = ['', '', '', ''];
  const resources: DeltaResource[] = [];
  const removed: string[] = [];
  const otherFields: number[] = [];
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) systemVersion = reader.string();
    else if (tag === 0x12) resources.push(readResource(reader.bytes()));
    else if (tag === 0x22) typeUrl = reader.string();
    else if (tag === 0x2a) nonce = reader.string();
    else if (tag === 0x32) removed.push(reader.string());
    else if (tag === 0x3a) controlPlane = Buffer.from(reader.bytes().subarray(2)).toString();
    else {
      otherFields.push(tag >>> 3);
      reader.skipType(tag & 7);
    }
  }
  return { typeUrl, systemVersion, nonce, resources, removed, controlPlane, otherFields };
}

function readResource(bytes: Uint8Array): DeltaResource {
  const reader = protobuf.Reader.create(bytes);
  let [name, version, typeUrl] = ['', '', ''];
  const aliases: string[] = [];
  let body = Buffer.alloc(0);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    if (tag === 0x0a) version = reader.string();
    else if (tag === 0x1a) name = reader.string();
    else if (tag === 0x22) aliases.push(reader.string());
    else if (tag === 0x12) {
      const any = protobuf.Reader.create(reader.bytes());
      any.uint32();
      typeUrl = any.string();
      if (any.pos < any.len) {
        any.uint32();
        body = Buffer.from(any.bytes());
      }
    } else reader.skipType(tag & 7);
  }
  return { name, version, typeUrl, body, aliases };
}
