/** The revision of an installation whose names have no suffix. Objects without the label `<mesh domain>/rev` are its own too. */
const DEFAULT_REVISION = 'default';

/** REVISION as a value of the label `<mesh domain>/rev`: an installation without a revision is the default one. */
export function revisionLabel(revision: string): string {
  return revision === '' ? DEFAULT_REVISION : revision;
}

/**
 * Suffix of the names that each revision has for itself, such as its Service and its ConfigMaps: `-canary` for the
 * revision `canary`, empty for the default one.
 */
export function revisionSuffix(revision: string): string {
  return isNamedRevision(revision) ? `-${revision}` : '';
}

/** Whether REVISION names another revision than the default one. */
export function isNamedRevision(revision: string): boolean {
  return revisionLabel(revision) !== DEFAULT_REVISION;
}
