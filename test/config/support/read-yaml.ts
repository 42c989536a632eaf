import { createKindRegistry } from '../../../src/config/kinds.js';
import type { MeshObject } from '../../../src/config/object.js';
import type { ReadResult } from '../../../src/config/read-object.js';
import { formatViolation } from '../../../src/config/violation.js';
import { createYamlParser } from '../../../src/config/yaml/parse-document.js';
import { createDocumentReader } from '../../../src/sources/file/read-documents.js';

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

/** The objects of a YAML text with several documents, as the file source reads them. */
export function readObjects(text: string, file = 'test.yaml', kinds = registry): readonly MeshObject[] {
  const reader = createDocumentReader({ kinds, parse, defaultNamespace: 'default' });
  const { objects, problems, skipped } = reader.read(file, text, new Map()).content;
  if (problems.length + skipped.length > 0) throw new Error(`${file}: ${JSON.stringify([...problems, ...skipped])}`);
  return objects.map(({ object }) => object);
}

/** The violations of an object as messages; empty if it is valid. */
export function refusalsOf(text: string): readonly string[] {
  const result = readYaml(text);
  if (result.type === 'unknown') throw new Error(`${result.kind} is not known`);
  return result.type === 'object' ? [] : result.violations.map((each) => formatViolation(result.subject, each));
}
