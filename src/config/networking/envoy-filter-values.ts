import { checkMessage } from '../../envoy/messages/message-rules.js';
import { createPatchRegistry } from '../../envoy/messages/patch-registry.js';
import { PATCHED_MESSAGES } from '../../envoy/messages/patched-messages.js';
import { readMessage } from '../../envoy/messages/read-message.js';
import { joinPath, type Violation } from '../violation.js';
import type { EnvoyFilterPatch } from './envoy-filter.js';

/** Checks the message of a patch; `path` is the place of the patch. */
export type ValidatePatchValue = (patch: EnvoyFilterPatch, path: string) => readonly Violation[];

/** Makes a check that reads the descriptors of Envoy's messages when the first patch is checked. */
export function createPatchValueCheck(): ValidatePatchValue {
  const registryOf = createPatchRegistry();
  return ({ applyTo, patch: { operation, value } }, path) => {
    if (value === undefined) return [];
    const at = `${path}.patch.value`;
    const registry = registryOf();
    const type = registry.type(PATCHED_MESSAGES[applyTo]);
    const read = readMessage(registry, type, value);
    if (read.type === 'invalid') {
      return read.problems.map((problem) => ({ ...problem, path: joinPath(at, problem.path) }));
    }
    // A merged message is complete only together with the one that it is merged into.
    const problem = checkMessage(registry, type, read.message, operation === 'MERGE');
    return problem === undefined ? [] : [{ ...problem, path: joinPath(at, problem.path) }];
  };
}
