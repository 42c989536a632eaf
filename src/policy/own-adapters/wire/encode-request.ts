import protobuf from 'protobufjs';
import type { EncodedConfig } from '../../../config/policy-rules/descriptors/adapter-config.js';
import type { TemplateWire } from '../../../config/policy-rules/descriptors/template-wire.js';
import { wireLong } from '../../../config/policy-rules/descriptors/wire-long.js';
import { fieldTag } from './encode-value.js';

const VARINT = 0;
const BYTES = 2;
const TYPE_PREFIX = 'type.googleapis.com/';
/** The type of a session's id in the place of the parameters, as the public protocol has it. */
const SESSION_TYPE = 'google.protobuf.Any.type_url';

/** A quota that a call charges. */
export interface RequestedQuota {
  /** Name of the instance in calls. */
  readonly name: string;
  readonly amount: number;
  readonly bestEffort: boolean;
}

export interface AdapterRequest {
  /** Encoded instances: one, or those of a report. */
  readonly instances: readonly Uint8Array[];
  /** A google.protobuf.Any. Undefined for an adapter without parameters. */
  readonly adapterConfig: Uint8Array | undefined;
  readonly dedupId: string;
  readonly quota?: RequestedQuota;
}

/** Encodes the request of a call. */
export function encodeRequest({ request }: TemplateWire, call: AdapterRequest): Buffer {
  const writer = protobuf.Writer.create();
  for (const instance of call.instances) writer.uint32(fieldTag(request.instance, BYTES)).bytes(instance);
  if (request.adapterConfig !== undefined && call.adapterConfig !== undefined) {
    writer.uint32(fieldTag(request.adapterConfig, BYTES)).bytes(call.adapterConfig);
  }
  if (request.dedupId !== undefined) writer.uint32(fieldTag(request.dedupId, BYTES)).string(call.dedupId);
  if (request.quotaRequest !== undefined && call.quota !== undefined) {
    const { name, amount, bestEffort } = call.quota;
    writer.uint32(fieldTag(request.quotaRequest, BYTES)).fork();
    writer.uint32(fieldTag(1, BYTES)).fork().uint32(fieldTag(1, BYTES)).string(name);
    writer
      .uint32(fieldTag(2, BYTES))
      .fork()
      .uint32(fieldTag(1, VARINT))
      .int64(wireLong(BigInt(amount)));
    if (bestEffort) writer.uint32(fieldTag(2, VARINT)).bool(true);
    writer.ldelim().ldelim().ldelim();
  }
  return Buffer.from(writer.finish());
}

/** The parameters of a handler as a google.protobuf.Any. */
export function encodeConfig({ message, value }: EncodedConfig): Uint8Array {
  return encodeAny(`${TYPE_PREFIX}${message}`, Buffer.from(value, 'base64'));
}

/** The id of a session in the place of the parameters. */
export function encodeSessionId(id: string): Uint8Array {
  return encodeAny(SESSION_TYPE, Buffer.from(id));
}

/** A google.protobuf.Any with the message of a template's package. */
export function encodeTypeAny({ package: packageName }: TemplateWire, content: Uint8Array): Uint8Array {
  return encodeAny(`${TYPE_PREFIX}${packageName === '' ? '' : `${packageName}.`}Type`, content);
}

function encodeAny(typeUrl: string, value: Uint8Array): Uint8Array {
  const writer = protobuf.Writer.create().uint32(fieldTag(1, BYTES)).string(typeUrl);
  return writer.uint32(fieldTag(2, BYTES)).bytes(value).finish();
}
