import { scalarType, type ValueType } from './parsed.js';

/** The value of OTEL_EXPORTER_OTLP_HEADERS. */
export const otlpHeaders: ValueType<Readonly<Record<string, string>>> = scalarType('string', (value) => {
  const pairs = value.split(',').filter((pair) => pair.trim() !== '');
  const entries = pairs.map((pair) => /^\s*([A-Za-z0-9!#$%&'*+.^_`|~-]+)\s*=\s*(.*?)\s*$/.exec(pair));
  const headers: Record<string, string> = {};
  for (const entry of entries) {
    const decoded = entry === null ? undefined : decode(entry[2] ?? '');
    if (entry === null || decoded === undefined) {
      return { ok: false, allowed: 'key=value pairs separated by commas, with percent-encoded values' };
    }
    headers[(entry[1] ?? '').toLowerCase()] = decoded;
  }
  return { ok: true, value: headers };
});

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const JSON_PROTOCOL = 'http/json';

/** The value of OTEL_EXPORTER_OTLP_PROTOCOL. Operators set it for all pods, so another protocol does not stop the start. */
export const otlpProtocol: ValueType<typeof JSON_PROTOCOL> = scalarType('string', (value) =>
  value === JSON_PROTOCOL
    ? { ok: true, value: JSON_PROTOCOL }
    : { ok: true, value: JSON_PROTOCOL, warning: 'only http/json is supported, so http/json is used' },
);
