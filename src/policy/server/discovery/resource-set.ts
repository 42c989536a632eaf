import { errorText } from '../../../base/error-text.js';
import { inOneStep, type Steps, stepOf } from '../../../base/steps.js';
import { unpackResource } from '../../../xds-client/discovery-messages.js';

interface ResourceEntry<Value> {
  readonly bytes: Buffer;
  readonly value: Value;
}

/** Resources by name, as one response gave them. */
export type ResourceSet<Value> = ReadonlyMap<string, ResourceEntry<Value>>;

/** Reads one resource. @throws Error with the problem */
export type ReadResource<Value> = (bytes: Buffer, name: string) => Value;

/** Reads one resource in steps. @throws Error with the problem */
export type ReadResourceInSteps<Value> = (bytes: Buffer, name: string) => Steps<Value>;

/** The number of problems in a rejection; a faulty server may cause thousands. */
const MAX_PROBLEMS = 5;

/**
 * The resources of a response. One with unchanged bytes keeps the same object. A response is accepted or rejected
 * as a whole: with only its valid resources, the version in force would be one that no server sent.
 *
 * @throws Error with the rejected resources and their problems
 */
export function readResourceSet<Value>(
  resources: readonly Buffer[],
  typeUrl: string,
  previous: ResourceSet<Value>,
  read: ReadResource<Value>,
): ResourceSet<Value> {
  return inOneStep(readResourceSetInSteps(resources, typeUrl, previous, (...given) => stepOf(() => read(...given))));
}

/** `readResourceSet` for large resources. */
export function* readResourceSetInSteps<Value>(
  resources: readonly Buffer[],
  typeUrl: string,
  previous: ResourceSet<Value>,
  read: ReadResourceInSteps<Value>,
): Steps<ResourceSet<Value>> {
  const resourcesByName = new Map<string, ResourceEntry<Value>>();
  const problems: string[] = [];
  for (const packed of resources) {
    try {
      const { name, bytes } = unpackResource(packed, typeUrl);
      if (resourcesByName.has(name)) throw new Error(`${JSON.stringify(name)} occurs twice`);
      const before = previous.get(name);
      resourcesByName.set(name, before?.bytes.equals(bytes) ? before : yield* readEntry(name, bytes, read));
      yield;
    } catch (error) {
      problems.push(errorText(error));
    }
  }
  if (problems.length === 0) return resourcesByName;
  const more = problems.length > MAX_PROBLEMS ? `; and ${problems.length - MAX_PROBLEMS} more` : '';
  throw new Error(`${problems.slice(0, MAX_PROBLEMS).join('; ')}${more}`);
}

function* readEntry<Value>(name: string, bytes: Buffer, read: ReadResourceInSteps<Value>): Steps<ResourceEntry<Value>> {
  try {
    // A copy, because the bytes are a part of the whole response and would keep it in memory.
    return { bytes: Buffer.from(bytes), value: yield* read(bytes, name) };
  } catch (cause) {
    throw new Error(`${JSON.stringify(name)}: ${errorText(cause)}`, { cause });
  }
}
