import { createKindRegistry } from '../../../src/config/kinds.js';
import { formatFinding } from '../../../src/config/violation.js';

const registry = createKindRegistry('mesh.internal');

/** Reads an object of a kind of the policy runtime. */
export function readRuleKind(
  kind: string,
  spec: unknown,
  kinds = registry,
): { readonly body: unknown; readonly problems: readonly string[] } {
  const object = {
    apiVersion: 'config.mesh.internal/v1alpha2',
    kind,
    metadata: { name: 'one', namespace: 'shop' },
    spec,
  };
  const result = kinds.read(object, { defaultNamespace: 'default' });
  switch (result.type) {
    case 'object':
      return { body: result.object.body, problems: [] };
    case 'invalid':
      return { body: undefined, problems: result.violations.map(formatFinding) };
    case 'unknown':
      throw new Error(`${kind} is unknown`);
  }
}

/** The problems of an object. */
export function problemsOf(kind: string, spec: unknown, kinds = registry): readonly string[] {
  return readRuleKind(kind, spec, kinds).problems;
}
