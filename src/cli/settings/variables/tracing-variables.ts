import type { Environment } from '../../../bootstrap/environment.js';
import { integer } from '../../values/scalar-types.js';
import { otlpHeaders, otlpProtocol } from '../../values/telemetry-types.js';
import { optionalHttpUrl, requiredText } from '../../values/text-types.js';
import type { VariableTable } from '../setting.js';

/** Variables of OpenTelemetry, for traces of changes. */
export const tracingVariables = {
  otelExporterOtlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: optionalHttpUrl,
    default: '',
    meaning: 'Base URL of an OTLP/HTTP collector for traces of changes, such as http://collector:4318',
    whenUnset: 'no traces are made',
    addition: true,
  },
  otelExporterOtlpHeaders: {
    name: 'OTEL_EXPORTER_OTLP_HEADERS',
    type: otlpHeaders,
    default: '',
    meaning:
      'Headers of requests to the collector, as key=value pairs separated by commas; values may be percent-encoded',
    addition: true,
  },
  otelExporterOtlpProtocol: {
    name: 'OTEL_EXPORTER_OTLP_PROTOCOL',
    type: otlpProtocol,
    default: 'http/json',
    meaning: 'Encoding of traces. http/json is supported; another value gives a warning, and http/json is used',
    addition: true,
  },
  otelExporterOtlpTimeoutMs: {
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    type: integer({ min: 1 }),
    default: '10000',
    meaning: 'Maximum time of a request to the collector, in milliseconds',
    addition: true,
  },
  otelServiceName: {
    name: 'OTEL_SERVICE_NAME',
    type: requiredText,
    default: 'navigator-discovery',
    meaning: 'Attribute service.name of traces',
    addition: true,
  },
} as const satisfies Partial<VariableTable<Environment>>;
