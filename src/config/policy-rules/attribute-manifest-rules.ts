import { firstViolations } from '../policy/limits.js';
import { childPath, type Violation } from '../violation.js';
import type { AttributeManifestSpec } from './attribute-manifest.js';
import { attributeType } from './attribute-types.js';

/** Names that expressions can write: words between dots. */
const ATTRIBUTE_NAME = /^[A-Za-z_][A-Za-z0-9_]*(\.[A-Za-z_][A-Za-z0-9_]*)*$/;
const MAX_NAME_LENGTH = 256;

/** Rules of an attributemanifest that its schema cannot express. */
export function validateAttributeManifest(spec: AttributeManifestSpec): readonly Violation[] {
  return firstViolations(attributeViolations(spec));
}

function* attributeViolations({ attributes }: AttributeManifestSpec): Iterable<Violation> {
  for (const [name, { valueType }] of Object.entries(attributes)) {
    const path = childPath('attributes', name);
    if (name.length > MAX_NAME_LENGTH || !ATTRIBUTE_NAME.test(name)) {
      yield {
        path,
        message: 'is not the name of an attribute',
        remedy: `use words of letters, digits and underscores, with dots between them and at most ${MAX_NAME_LENGTH} characters, for example request.tier`,
      };
      continue;
    }
    const known = attributeType(name);
    if (known === undefined || known === valueType) continue;
    yield {
      path: `${path}.valueType`,
      value: valueType,
      message: `is not the type of ${name}, an attribute of the mesh`,
      remedy: `use ${known}, or remove the attribute`,
    };
  }
}
