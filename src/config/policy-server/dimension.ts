/** An attribute, or an entry of a string map. Each of its values has a counter of its own. */
export interface Dimension {
  /** The form in overrides: `request.api_key`, `request.headers[x-user]`. */
  readonly text: string;
  readonly attribute: string;
  /** The entry of a string map. */
  readonly mapKey?: string;
}

/** Maps whose keys are names of HTTP headers, which are not case-sensitive. */
const HEADER_MAPS: ReadonlySet<string> = new Set(['request.headers', 'response.headers']);

/**
 * Parses a dimension: the name of an attribute, or an entry of a string map with its key in brackets. Converts names of
 * headers to lower case. Returns undefined for any other text.
 */
export function parseDimension(written: string): Dimension | undefined {
  const [, attribute = '', key] = /^([A-Za-z0-9_.-]+)(?:\[([^[\]]+)\])?$/.exec(written) ?? [];
  if (attribute === '') return undefined;
  if (key === undefined) return { text: attribute, attribute };
  const mapKey = HEADER_MAPS.has(attribute) ? key.toLowerCase() : key;
  return { text: `${attribute}[${mapKey}]`, attribute, mapKey };
}
