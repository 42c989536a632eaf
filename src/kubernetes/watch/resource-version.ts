/**
 * Whether one resource version of a list is older than another. Versions of an API server are decimal numbers that
 * grow; where one is anything else, which is older cannot be said.
 */
export function isOlderVersion(version: string, than: string): boolean {
  if (!isDecimal(version) || !isDecimal(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}

function isDecimal(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text);
}
