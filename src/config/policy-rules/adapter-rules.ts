import type { Violation } from '../violation.js';
import type { AdapterSpec } from './adapter.js';
import { descriptorViolations } from './descriptor-rules.js';
import { readAdapterConfig } from './descriptors/adapter-config.js';

/** Rules of an adapter that its schema cannot express. */
export function validateAdapter(spec: AdapterSpec): readonly Violation[] {
  const { config, sessionBased, session_based: written } = spec;
  const violations = [...descriptorViolations('config', config, () => readAdapterConfig(config))];
  if (sessionBased !== undefined && written !== undefined && sessionBased !== written) {
    const message = `is ${written}, but sessionBased is ${sessionBased}`;
    violations.push({ path: 'session_based', value: written, message, remedy: 'keep one of them' });
  }
  return violations;
}

/** One spelling of the field that build tools write in another. */
export function reduceAdapter({ session_based: written, ...spec }: AdapterSpec): AdapterSpec {
  return { ...spec, sessionBased: spec.sessionBased ?? written ?? false };
}
