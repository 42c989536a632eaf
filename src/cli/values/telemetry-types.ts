import type { Environment } from '../../bootstrap/environment.js';
import { scalarType, type ValueType } from './parsed.js';

const HEADER_NAME = /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/;

/** The value of OTEL_EXPORTER_OTLP_HEADERS. Names are in lower case. */
export const otlpHeaders: ValueType<Readonly<Record<string, string>>> = pairsType((name) =>
  HEADER_NAME.test(name) ? name.toLowerCase() : undefined,
);

/** The value of OTEL_RESOURCE_ATTRIBUTES. */
export const otelAttributes: ValueType<Readonly<Record<string, string>>> = pairsType(decode);

/** @param keyOf the key that a text names; undefined or empty if it is none */
function pairsType(keyOf: (text: string) => string | undefined): ValueType<Readonly<Record<string, string>>> {
  return scalarType('string', (text) => {
    const entries: [string, string][] = [];
    for (const pair of text.split(',').filter((each) => each.trim() !== '')) {
      const equals = pair.indexOf('=');
      const key = keyOf(pair.slice(0, Math.max(0, equals)).trim()) ?? '';
      const value = decode(pair.slice(equals + 1).trim());
      if (key === '' || value === undefined) {
        return { ok: false, allowed: 'key=value pairs separated by commas, with percent-encoded values' };
      }
      entries.push([key, value]);
    }
    return { ok: true, value: Object.fromEntries(entries) };
  });
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

/** The value of OTEL_EXPORTER_OTLP_PROTOCOL. */
export const otlpProtocol: ValueType<Environment['otelExporterOtlpProtocol']> = scalarType('string', (value) =>
  value === 'http/protobuf' || value === 'http/json'
    ? { ok: true, value }
    : { ok: false, allowed: 'http/protobuf or http/json, which collectors usually take at port 4318' },
);
