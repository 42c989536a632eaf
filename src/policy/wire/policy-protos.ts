import { loadProtoRegistry, type ProtoRegistry } from '../../envoy/proto-registry.js';
import protoFiles from '../proto-files.json' with { type: 'json' };

/** Loads the messages of our own policy protocols, and nothing of Envoy's: a few milliseconds, once. */
export function loadPolicyProtos(): ProtoRegistry {
  return loadProtoRegistry(protoFiles);
}
