import protobuf from 'protobufjs';

type Fields = Readonly<Record<string, readonly [id: number, type: string]>>;

const list = (type: string): string => `repeated ${type}`;

/** The fields of opentelemetry-proto 1.x that requests have, by message. */
const MESSAGES: Readonly<Record<string, Fields>> = {
  Request: { resourceSpans: [1, list('ResourceSpans')] },
  ResourceSpans: { resource: [1, 'Resource'], scopeSpans: [2, list('ScopeSpans')] },
  Resource: { attributes: [1, list('KeyValue')] },
  ScopeSpans: { scope: [1, 'Scope'], spans: [2, list('Span')] },
  Scope: { name: [1, 'string'], version: [2, 'string'] },
  Span: {
    traceId: [1, 'bytes'],
    spanId: [2, 'bytes'],
    parentSpanId: [4, 'bytes'],
    name: [5, 'string'],
    kind: [6, 'int32'],
    startTimeUnixNano: [7, 'fixed64'],
    endTimeUnixNano: [8, 'fixed64'],
    attributes: [9, list('KeyValue')],
    events: [11, list('Event')],
    status: [15, 'Status'],
  },
  ResourceLogs: { resource: [1, 'Resource'], scopeLogs: [2, list('ScopeLogs')] },
  ScopeLogs: { scope: [1, 'Scope'], logRecords: [2, list('LogRecord')] },
  LogRecord: {
    timeUnixNano: [1, 'fixed64'],
    severityNumber: [2, 'int32'],
    severityText: [3, 'string'],
    body: [5, 'Value'],
    attributes: [6, list('KeyValue')],
    observedTimeUnixNano: [11, 'fixed64'],
  },
  Response: { partialSuccess: [1, 'PartialSuccess'] },
  PartialSuccess: { rejected: [1, 'int64'], errorMessage: [2, 'string'] },
  Event: { timeUnixNano: [1, 'fixed64'], name: [2, 'string'], attributes: [3, list('KeyValue')] },
  Status: { message: [2, 'string'], code: [3, 'int32'] },
  KeyValue: { key: [1, 'string'], value: [2, 'Value'] },
  Value: {
    stringValue: [1, 'string'],
    boolValue: [2, 'bool'],
    intValue: [3, 'int64'],
    doubleValue: [4, 'double'],
    arrayValue: [5, 'ArrayValue'],
    kvlistValue: [6, 'KeyValueList'],
  },
  ArrayValue: { values: [1, list('Value')] },
  KeyValueList: { values: [1, list('KeyValue')] },
};

/** Makes the messages, and gives each by its name in the table. */
export function createOtlpMessages(): (name: string) => protobuf.Type {
  const root = protobuf.Root.fromJSON({
    nested: Object.fromEntries(Object.entries(MESSAGES).map(([name, fields]) => [name, { fields: fieldsOf(fields) }])),
  });
  return (name) => root.lookupType(name);
}

function fieldsOf(fields: Fields): Record<string, protobuf.IField> {
  return Object.fromEntries(
    Object.entries(fields).map(([name, [id, written]]) => {
      const type = written.replace(/^repeated /, '');
      return [name, type === written ? { id, type } : { id, type, rule: 'repeated' }];
    }),
  );
}
