import protobuf from 'protobufjs';
import { wireFields, wireText } from '../../../config/policy-rules/descriptors/wire-fields.js';
import type { PolicyStatus } from '../../client/policy-status.js';
import { fieldTag } from './encode-value.js';
import { readStatus } from './read-status.js';

const BYTES = 2;
const SERVICE = '/istio.mixer.adapter.model.v1beta1.InfrastructureBackend';

/** Paths of the methods of sessions (proto/mesh/adapters/model.proto). */
export const SESSION_METHODS = {
  validate: `${SERVICE}/Validate`,
  create: `${SERVICE}/CreateSession`,
  close: `${SERVICE}/CloseSession`,
} as const;

/** A ValidateRequest or CreateSessionRequest, which are equal. @param types by name of the instance, each an Any */
export function encodeSessionRequest(config: Uint8Array | undefined, types: ReadonlyMap<string, Uint8Array>): Buffer {
  const writer = protobuf.Writer.create();
  if (config !== undefined) writer.uint32(fieldTag(1, BYTES)).bytes(config);
  for (const [name, type] of types) {
    writer.uint32(fieldTag(2, BYTES)).fork().uint32(fieldTag(1, BYTES)).string(name);
    writer.uint32(fieldTag(2, BYTES)).bytes(type).ldelim();
  }
  return Buffer.from(writer.finish());
}

export function encodeCloseRequest(id: string): Buffer {
  return Buffer.from(protobuf.Writer.create().uint32(fieldTag(1, BYTES)).string(id).finish());
}

/** The status of a ValidateResponse. @throws Error for bytes that are no message */
export function readValidateAnswer(answer: Uint8Array): PolicyStatus {
  return statusIn(answer, 1);
}

/** @throws Error for bytes that are no message */
export function readCreateAnswer(answer: Uint8Array): { readonly id: string; readonly status: PolicyStatus } {
  let id = '';
  for (const field of wireFields(answer)) if (field.number === 1 && field.type === 'bytes') id = wireText(field.value);
  return { id, status: statusIn(answer, 2) };
}

function statusIn(answer: Uint8Array, number: number): PolicyStatus {
  let bytes: Uint8Array = new Uint8Array();
  for (const field of wireFields(answer)) if (field.number === number && field.type === 'bytes') bytes = field.value;
  return readStatus(bytes).status;
}
