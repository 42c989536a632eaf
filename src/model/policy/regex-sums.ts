import type { MeshObject } from '../../config/object.js';
import type { HttpApiSpec } from '../../config/policy/http-api-spec.js';
import type { QuotaSpec } from '../../config/policy/quota-spec.js';
import { regexSize } from '../../config/regex/regex-size.js';

/** Kinds with regular expressions. */
export const REGEX_KINDS = ['HTTPAPISpec', 'QuotaSpec'] as const;

/** Sizes of the regular expressions of specs; each spec is compiled once. */
export interface RegexSums {
  /** Bytes of the distinct expressions of the object. */
  bytesOf(object: MeshObject): number;
  /** Bytes of the distinct expressions of all of them. */
  bytesTogether(objects: readonly MeshObject[]): number;
}

export function createRegexSums(): RegexSums {
  const known = new WeakMap<object, ReadonlyMap<string, number>>();
  const sizesOf = (object: MeshObject): ReadonlyMap<string, number> => {
    const body = object.body as object;
    const sizes = known.get(body) ?? new Map(regexesOf(object).map((text) => [text, bytesOfText(text)]));
    known.set(body, sizes);
    return sizes;
  };
  return {
    bytesOf: (object) => sum(sizesOf(object)),
    bytesTogether: (objects) => sum(new Map(objects.flatMap((object) => [...sizesOf(object)]))),
  };
}

function sum(sizes: ReadonlyMap<string, number>): number {
  let bytes = 0;
  for (const size of sizes.values()) bytes += size;
  return bytes;
}

function bytesOfText(text: string): number {
  const size = regexSize(text);
  return size.type === 'size' ? size.bytes : 0;
}

function regexesOf({ kind, body }: MeshObject): readonly string[] {
  switch (kind) {
    case 'HTTPAPISpec':
      return (body as HttpApiSpec).patterns.flatMap(({ regex }) => regex ?? []);
    case 'QuotaSpec':
      return (body as QuotaSpec).rules.flatMap(({ match }) =>
        match.flatMap(({ clause }) => Object.values(clause).flatMap(({ regex }) => regex ?? [])),
      );
    default:
      return [];
  }
}
