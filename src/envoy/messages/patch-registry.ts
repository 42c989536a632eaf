import { readDescriptors } from '../../generated/patch-descriptors.js';
import { createProtoRegistry, type ProtoRegistry } from '../proto-registry.js';

/** Looks up the messages that an EnvoyFilter can contain. Their descriptors are read at the first call. */
export type PatchRegistry = () => ProtoRegistry;

/** All messages of Envoy's API and of its extensions, with the rules that Envoy checks their fields by. */
export function createPatchRegistry(): PatchRegistry {
  let registry: ProtoRegistry | undefined;
  return () => {
    registry ??= createProtoRegistry(readDescriptors());
    return registry;
  };
}

/** Finds the messages of EnvoyFilters beside those of another registry, for pages that show resources. */
export function withPatchMessages(registry: ProtoRegistry): ProtoRegistry {
  const patchRegistryOf = createPatchRegistry();
  return { type: registry.type, find: (nameOrUrl) => registry.find(nameOrUrl) ?? patchRegistryOf().find(nameOrUrl) };
}

/** Full name of `google.protobuf.Any` as protobufjs writes it. */
export const ANY = '.google.protobuf.Any';
