/** Whether a parsed value is a JSON object, a YAML mapping or another object with named fields: neither `null` nor an array. */
export function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
