import { createProtoRegistry, type ProtoRegistry } from '../../envoy/proto-registry.js';
import { readDescriptors } from '../../generated/policy-descriptors.js';

/** The messages of our own policy protocols, without those of Envoy. */
export function loadPolicyProtos(): ProtoRegistry {
  return createProtoRegistry(readDescriptors());
}
