import type protobuf from 'protobufjs';
import { mergeMessages } from '../../envoy/messages/merge-messages.js';
import type { MessageFields } from '../../envoy/messages/message-problem.js';
import type { PatchRegistry } from '../../envoy/messages/patch-registry.js';
import { PATCHED_MESSAGES } from '../../envoy/messages/patched-messages.js';
import { readMessage } from '../../envoy/messages/read-message.js';
import type { ProtoRegistry } from '../../envoy/proto-registry.js';
import { memoize } from '../../model/memo.js';
import type { Patch } from '../../model/patches/envoy-patches.js';

/** A patch that cannot be applied to a resource. */
export class PatchError extends Error {}

/** Messages of patches, and the messages that they are applied to. */
export interface PatchTools {
  readonly registry: ProtoRegistry;
  /** A new message with the value of the patch. @throws PatchError */
  valueOf(patch: Patch): MessageFields;
  /** Merges the value of the patch into a message of its type. @throws PatchError */
  merge(patch: Patch, into: MessageFields): void;
  /** The message in an Any of the type; undefined for another type. */
  open(any: unknown, typeUrl: string): MessageFields | undefined;
  seal(typeUrl: string, message: MessageFields): MessageFields;
}

/** The descriptors of Envoy's messages are read at the first patch. */
export function createPatchTools(registryOf: PatchRegistry): PatchTools {
  const typeOf = ({ applyTo }: Patch): protobuf.Type => registryOf().type(PATCHED_MESSAGES[applyTo]);
  // Encoded, because the parts of a message that was merged belong to the other message.
  const valueBytes = memoize((patch: Patch): Uint8Array | PatchError => {
    const type = typeOf(patch);
    const read = readMessage(registryOf(), type, patch.patch.value);
    if (read.type === 'message') return type.encode(read.message).finish();
    const [problem] = read.problems;
    return new PatchError(problem === undefined ? 'its value cannot be read' : `${problem.path} ${problem.message}`);
  });
  const valueOf = (patch: Patch): MessageFields => {
    const bytes = valueBytes(patch);
    if (bytes instanceof PatchError) throw bytes;
    return typeOf(patch).decode(bytes) as unknown as MessageFields;
  };
  return {
    get registry() {
      return registryOf();
    },
    valueOf,
    merge: (patch, into) => mergeMessages(registryOf(), typeOf(patch), into, valueOf(patch)),
    open: (any, typeUrl) => {
      const { type_url: actual, value } = (any ?? {}) as MessageFields;
      if (actual !== typeUrl) return undefined;
      return registryOf()
        .type(typeUrl)
        .decode((value ?? Buffer.alloc(0)) as Uint8Array) as unknown as MessageFields;
    },
    seal: (typeUrl, message) => ({ type_url: typeUrl, value: registryOf().type(typeUrl).encode(message).finish() }),
  };
}

/** A repeated field, which can be changed in place. */
export function listOf(message: MessageFields, name: string): MessageFields[] {
  if (!Object.hasOwn(message, name) || !Array.isArray(message[name])) message[name] = [];
  return message[name] as MessageFields[];
}

/** A message in a field; undefined if it is not set. */
export function messageIn(message: MessageFields | undefined, name: string): MessageFields | undefined {
  if (message === undefined || !Object.hasOwn(message, name)) return undefined;
  const value = message[name];
  return typeof value === 'object' && value !== null ? (value as MessageFields) : undefined;
}

export function textIn(message: MessageFields | undefined, name: string): string {
  const value = message?.[name];
  return typeof value === 'string' ? value : '';
}

export function numberIn(message: MessageFields | undefined, name: string): number {
  const value = message?.[name];
  return typeof value === 'number' ? value : 0;
}
