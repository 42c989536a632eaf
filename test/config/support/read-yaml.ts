import { createKindRegistry } from '../../../src/config/kinds.js';
import type { MeshObject } from '../../../src/config/object.js';
import type { ReadResult } from '../../../src/config/read-object.js';
import { formatViolation } from '../../../src/config/violation.js';
import { createYamlParser } from '../../../src/config/yaml/parse-document.js';

const registry = createKindRegistry('mesh.internal');
const parse = createYamlParser();

/** Reads one object in the way of a source. */
export function readYaml(text: string): ReadResult {
  const parsed = parse(text);
  if (parsed.type === 'error') throw new Error(parsed.message);
  return registry.read(parsed.value, { defaultNamespace: 'default' });
}

export function readObject(text: string): MeshObject {
  const result = readYaml(text);
  if (result.type !== 'object') throw new Error(`not an object: ${JSON.stringify(result)}`);
  return result.object;
}

/** The violations of an object as messages; empty if it is valid. */
export function refusalsOf(text: string): readonly string[] {
  const result = readYaml(text);
  if (result.type === 'unknown') throw new Error(`${result.kind} is not known`);
  return result.type === 'object' ? [] : result.violations.map((each) => formatViolation(result.subject, each));
}
