import type { PatchOperation } from '../../admission/admission-answer.js';

/**
 * Sets entries of `metadata.annotations` or `metadata.labels`, sorted by key; those that are so already are left. The
 * first entry makes the mapping.
 */
export function setTexts(
  path: string,
  present: Readonly<Record<string, string>> | undefined,
  wanted: Readonly<Record<string, string>>,
): readonly PatchOperation[] {
  let exists = present !== undefined;
  const has = (key: string): boolean => present !== undefined && Object.hasOwn(present, key);
  return Object.keys(wanted)
    .sort()
    .filter((key) => !has(key) || present?.[key] !== wanted[key])
    .map((key): PatchOperation => {
      const value = wanted[key];
      if (!exists) {
        exists = true;
        return { op: 'add', path, value: { [key]: value } };
      }
      return { op: has(key) ? 'replace' : 'add', path: `${path}/${pointerStep(key)}`, value };
    });
}

/** One step of a JSON pointer (RFC 6901). */
function pointerStep(key: string): string {
  return key.replaceAll('~', '~0').replaceAll('/', '~1');
}
