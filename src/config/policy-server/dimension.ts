/** An attribute, or an entry of a string map, whose values are counted apart. */
export interface Dimension {
  /** As overrides name it: `request.api_key`, `request.headers[x-user]`. */
  readonly text: string;
  readonly attribute: string;
  /** The entry of a string map. */
  readonly mapKey?: string;
}

/** Maps whose keys are names of HTTP headers, which have no case. */
const HEADER_MAPS: ReadonlySet<string> = new Set(['request.headers', 'response.headers']);

/**
 * Reads a dimension as it is written: the name of an attribute, for an entry of a string map with the key in brackets.
 * Names of headers may be written in any case. Undefined when it is neither.
 */
export function parseDimension(written: string): Dimension | undefined {
  const [, attribute = '', key] = /^([A-Za-z0-9_.-]+)(?:\[([^[\]]+)\])?$/.exec(written) ?? [];
  if (attribute === '') return undefined;
  if (key === undefined) return { text: attribute, attribute };
  const mapKey = HEADER_MAPS.has(attribute) ? key.toLowerCase() : key;
  return { text: `${attribute}[${mapKey}]`, attribute, mapKey };
}
