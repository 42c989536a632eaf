import type { ValueType } from '../../../expressions/expression-types.js';
import type { CompiledTemplate, TemplateField, TemplateFields } from './template-fields.js';

const values: TemplateField = { type: 'values' };

function value(valueType: ValueType | 'any'): TemplateField {
  return { type: 'value', valueType };
}

function required(valueType: ValueType | 'any'): TemplateField {
  return { type: 'value', valueType, isRequired: true };
}

function texts(...names: readonly string[]): TemplateFields {
  return Object.fromEntries(names.map((name) => [name, value('STRING')]));
}

/** Only one public backend reads them, for which there is no built-in adapter. */
const MONITORED_RESOURCE: TemplateFields = {
  monitoredResourceType: value('STRING'),
  monitoredResourceDimensions: values,
};
const NOT_MONITORED = 'is read by no built-in adapter';
const IDLE_MONITORED = { monitoredResourceType: NOT_MONITORED, monitoredResourceDimensions: NOT_MONITORED };

/** The built-in templates, with the fields of the public templates of these names (docs/policy-rules.md#templates). */
const TEMPLATES: readonly CompiledTemplate[] = [
  { name: 'checknothing', variety: 'check', fields: {} },
  { name: 'reportnothing', variety: 'report', fields: {} },
  // Public files give it texts, and addresses: source.ip.
  { name: 'listentry', variety: 'check', fields: { value: required('any') } },
  { name: 'quota', variety: 'quota', fields: { dimensions: values } },
  {
    name: 'apikey',
    variety: 'check',
    fields: { ...texts('api', 'apiVersion', 'apiOperation', 'apiKey'), timestamp: value('TIMESTAMP') },
  },
  {
    name: 'authorization',
    variety: 'check',
    fields: {
      subject: { type: 'message', fields: { ...texts('user', 'groups'), properties: values } },
      action: { type: 'message', fields: { ...texts('namespace', 'service', 'method', 'path'), properties: values } },
    },
  },
  {
    name: 'logentry',
    variety: 'report',
    fields: { variables: values, timestamp: value('TIMESTAMP'), severity: value('STRING'), ...MONITORED_RESOURCE },
    idleFields: IDLE_MONITORED,
  },
  {
    name: 'metric',
    variety: 'report',
    fields: { value: required('any'), dimensions: values, ...MONITORED_RESOURCE },
    idleFields: IDLE_MONITORED,
  },
  {
    name: 'tracespan',
    variety: 'report',
    fields: {
      traceId: required('STRING'),
      spanName: required('STRING'),
      startTime: required('TIMESTAMP'),
      endTime: required('TIMESTAMP'),
      ...texts('spanId', 'parentSpanId', 'sourceName', 'destinationName', 'apiProtocol'),
      sourceIp: value('IP_ADDRESS'),
      destinationIp: value('IP_ADDRESS'),
      httpStatusCode: value('INT64'),
      requestSize: value('INT64'),
      requestTotalSize: value('INT64'),
      responseSize: value('INT64'),
      responseTotalSize: value('INT64'),
      clientSpan: value('BOOL'),
      rewriteClientSpanId: value('BOOL'),
      spanTags: values,
    },
    idleFields: { rewriteClientSpanId: 'is only needed for a backend that has no spans of both sides' },
  },
  {
    name: 'edge',
    variety: 'report',
    fields: {
      timestamp: value('TIMESTAMP'),
      ...texts('sourceWorkloadNamespace', 'sourceWorkloadName', 'sourceOwner', 'sourceUid'),
      ...texts('destinationWorkloadNamespace', 'destinationWorkloadName', 'destinationOwner', 'destinationUid'),
      ...texts('destinationServiceNamespace', 'destinationServiceName', 'contextProtocol', 'apiProtocol'),
    },
  },
  {
    name: 'kubernetes',
    variety: 'attributes',
    fields: {},
    idle: 'proxies and control plane already set the attributes of workloads',
  },
];

export const COMPILED_TEMPLATES: ReadonlyMap<string, CompiledTemplate> = new Map(
  TEMPLATES.map((template) => [template.name, template]),
);
