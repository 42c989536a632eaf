import type { Environment } from '../../../bootstrap/environment.js';
import { bool, integer, text } from '../../values/scalar-types.js';
import { otelAttributes, otlpHeaders, otlpProtocol } from '../../values/telemetry-types.js';
import { optionalHttpUrl } from '../../values/text-types.js';
import type { VariableTable } from '../setting.js';

/** Variables of OpenTelemetry, for traces of changes. */
export const tracingVariables = {
  otelExporterOtlpEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_ENDPOINT',
    type: optionalHttpUrl,
    default: '',
    meaning: 'Base URL of an OTLP/HTTP collector for traces of changes, such as http://collector:4318',
    whenUnset: 'no traces are made, unless OTEL_EXPORTER_OTLP_TRACES_ENDPOINT is set',
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
    default: 'http/protobuf',
    meaning: 'Encoding of traces: http/protobuf or http/json. Other protocols, such as grpc, are rejected',
    addition: true,
  },
  otelExporterOtlpTimeoutMs: {
    name: 'OTEL_EXPORTER_OTLP_TIMEOUT',
    type: integer({ min: 1 }),
    default: '10000',
    meaning: 'Maximum time of a request to the collector, in milliseconds',
    addition: true,
  },
  otelExporterOtlpTracesEndpoint: {
    name: 'OTEL_EXPORTER_OTLP_TRACES_ENDPOINT',
    type: optionalHttpUrl,
    default: '',
    meaning: 'The whole URL that traces are sent to, such as http://collector:4318/v1/traces',
    whenUnset: 'traces are sent to OTEL_EXPORTER_OTLP_ENDPOINT',
    addition: true,
  },
  otelResourceAttributes: {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    type: otelAttributes,
    default: '',
    meaning:
      'Attributes of the resource of traces, as key=value pairs separated by commas; values may be percent-encoded',
    addition: true,
  },
  otelSdkDisabled: {
    name: 'OTEL_SDK_DISABLED',
    type: bool,
    default: 'false',
    meaning: 'Makes no traces, even if a collector is set',
    addition: true,
  },
  otelServiceName: {
    name: 'OTEL_SERVICE_NAME',
    type: text,
    default: '',
    meaning: 'Attribute service.name of traces',
    whenUnset: 'service.name of OTEL_RESOURCE_ATTRIBUTES, else navigator-discovery',
    addition: true,
  },
} as const satisfies Partial<VariableTable<Environment>>;
