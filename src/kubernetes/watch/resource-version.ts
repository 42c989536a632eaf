/**
 * Whether one resource version of a list is older than another. An API server's versions are growing decimal numbers.
 * For other texts the answer is false, because their order is unknown.
 */
export function isOlderVersion(version: string, than: string): boolean {
  if (!isDecimal(version) || !isDecimal(than)) return false;
  return version.length === than.length ? version < than : version.length < than.length;
}

function isDecimal(text: string): boolean {
  return /^[1-9][0-9]*$/.test(text);
}
