/** Whether a field is required, excludes others, or has a default. */
export type Presence = 'required' | 'optional' | 'one-of' | { readonly fallback: unknown };

export interface SpecField {
  /** The type, as in the table. */
  readonly type: string;
  readonly presence: Presence;
  /** A valid value. */
  readonly example: unknown;
  /** Fields that exclude this one. None of them is required. */
  readonly excludes?: readonly string[];
}

/** One table of docs/reference/policy-kinds.md. */
export interface SpecTable {
  readonly structure:
    | 'MeshService'
    | 'QuotaSpec'
    | 'QuotaRule'
    | 'StringMatch'
    | 'AttributeMatch'
    | 'Quota'
    | 'QuotaSpecBinding'
    | 'QuotaSpecReference'
    | 'HTTPAPISpec'
    | 'HTTPAPISpecPattern'
    | 'APIKey'
    | 'HTTPAPISpecReference'
    | 'HTTPAPISpecBinding'
    | 'Attributes'
    | 'AttributeValue'
    | 'NetworkFailPolicy'
    | 'ServiceConfig'
    | 'TransportConfig'
    | 'HttpClientConfig'
    | 'TcpClientConfig';
  readonly fields: Readonly<Record<string, SpecField>>;
  /** The required fields, so that a test can set one other field at a time. */
  readonly base?: Readonly<Record<string, unknown>>;
}

function optional(type: string, example: unknown): SpecField {
  return { type, presence: 'optional', example };
}

/** A required field. Only bindings have such fields. */
function required(type: string, example: unknown): SpecField {
  return { type, presence: 'required', example };
}

function oneOf(type: string, example: unknown): SpecField {
  return { type, presence: 'one-of', example };
}

function defaulted(type: string, fallback: unknown, example: unknown): SpecField {
  return { type, presence: { fallback }, example };
}

const RULE = { match: [{ clause: { a: { exact: 'b' } } }], quotas: [{ quota: 'q', charge: 1 }] };
const PATTERN = { httpMethod: 'GET', uriTemplate: '/' };
const API_SPEC = { patterns: [PATTERN], apiKeys: [{ query: 'k' }] };
const ATTRIBUTES = { attributes: { 'source.uid': { stringValue: 'u' } } };
const SERVICE = { name: 'web', labels: { version: 'v1' } };
const FAIL_POLICY = { policy: 'FAIL_CLOSE', maxRetry: 3, baseRetryWait: '10ms', maxRetryWait: '5s' };
const FAIL_POLICY_DEFAULTS = { policy: 'FAIL_OPEN', maxRetry: 0, baseRetryWait: '80ms', maxRetryWait: '1s' };
const TRANSPORT = {
  disableCheckCache: true,
  disableQuotaCache: true,
  disableReportBatch: true,
  networkFailPolicy: FAIL_POLICY,
  statsUpdateInterval: '3s',
  checkCluster: 'checks',
  reportCluster: 'reports',
  reportBatchMaxEntries: 5,
  reportBatchMaxTime: '2s',
};
const SERVICE_CONFIG = { disableCheckCalls: true, disableReportCalls: true, httpApiSpec: [], quotaSpec: [] };
const REFERENCE = { name: required('string', 'limits'), namespace: optional('string', 'shop') };

/** Every table of docs/reference/policy-kinds.md and docs/reference/policy-client.md, row by row. */
export const SPEC_TABLES: readonly SpecTable[] = [
  {
    structure: 'MeshService',
    base: { name: 'web' },
    fields: {
      name: optional('string', 'web'),
      namespace: optional('string', 'shop'),
      domain: optional('string', 'svc.cluster.local'),
      service: { ...optional('string', 'web.shop.svc.cluster.local'), excludes: ['name'] },
      labels: defaulted('map<string,string>', {}, { version: 'v1' }),
    },
  },
  {
    structure: 'QuotaSpec',
    base: { rules: [RULE] },
    fields: {
      enforcement: optional('Enforcement', 'fast'),
      rules: defaulted('QuotaRule[]', [], [RULE]),
      rateLimitHeaders: optional('bool', true),
      refund: optional('Refund', { responseCodes: ['5xx'] }),
      dryRun: optional('bool', true),
    },
  },
  {
    structure: 'QuotaRule',
    base: { quotas: [{ quota: 'q', charge: 1 }] },
    fields: {
      match: defaulted('AttributeMatch[]', [], RULE.match),
      quotas: defaulted('Quota[]', [], RULE.quotas),
    },
  },
  {
    structure: 'StringMatch',
    base: { exact: 'a' },
    fields: { exact: oneOf('string', 'a'), prefix: oneOf('string', 'a'), regex: oneOf('string', 'a+') },
  },
  {
    structure: 'AttributeMatch',
    fields: { clause: defaulted('map<string, StringMatch>', {}, { 'source.uid': { exact: 'u' } }) },
  },
  {
    structure: 'Quota',
    base: { quota: 'q' },
    fields: { quota: optional('string', 'requests'), charge: defaulted('int32', 1, 2_147_483_647) },
  },
  {
    structure: 'QuotaSpecBinding',
    base: { services: [SERVICE], quotaSpecs: [{ name: 'limits' }] },
    fields: {
      services: required('MeshService[]', [SERVICE]),
      quotaSpecs: required('QuotaSpecReference[]', [{ name: 'limits' }]),
    },
  },
  { structure: 'QuotaSpecReference', base: { name: 'limits' }, fields: REFERENCE },
  {
    structure: 'HTTPAPISpec',
    base: { patterns: [PATTERN] },
    fields: {
      attributes: optional('Attributes', ATTRIBUTES),
      patterns: defaulted('HTTPAPISpecPattern[]', [], [PATTERN]),
      apiKeys: defaulted('APIKey[]', [], [{ header: 'x-key' }]),
    },
  },
  {
    structure: 'HTTPAPISpecPattern',
    base: PATTERN,
    fields: {
      attributes: optional('Attributes', ATTRIBUTES),
      httpMethod: optional('string', 'GET'),
      uriTemplate: oneOf('string', '/pets/{id}'),
      regex: oneOf('string', '/pets/[0-9]+'),
    },
  },
  {
    structure: 'APIKey',
    base: { query: 'k' },
    fields: { query: oneOf('string', 'k'), header: oneOf('string', 'x-key') },
  },
  { structure: 'HTTPAPISpecReference', base: { name: 'api' }, fields: REFERENCE },
  {
    structure: 'HTTPAPISpecBinding',
    base: { services: [SERVICE], apiSpecs: [{ name: 'api' }] },
    fields: {
      services: required('MeshService[]', [SERVICE]),
      apiSpecs: required('HTTPAPISpecReference[]', [{ name: 'api' }]),
    },
  },
  {
    structure: 'Attributes',
    fields: { attributes: defaulted('map<string, AttributeValue>', {}, ATTRIBUTES.attributes) },
  },
  {
    structure: 'AttributeValue',
    base: { stringValue: 'a' },
    fields: {
      stringValue: oneOf('string', 'a'),
      int64Value: oneOf('int64', '-9223372036854775808'),
      doubleValue: oneOf('double', 0.5),
      boolValue: oneOf('bool', false),
      bytesValue: oneOf('bytes', 'CgAAAQ=='),
      timestampValue: oneOf('timestamp', '2026-01-31T12:00:00Z'),
      durationValue: oneOf('Duration', '1m30s'),
      stringMapValue: oneOf('map<string,string>', { entries: { a: 'b' } }),
    },
  },
  {
    structure: 'NetworkFailPolicy',
    fields: {
      policy: defaulted('FailPolicy', 'FAIL_OPEN', 'FAIL_CLOSE'),
      maxRetry: defaulted('uint32', 0, 4_294_967_295),
      baseRetryWait: defaulted('Duration', '80ms', '10ms'),
      maxRetryWait: defaulted('Duration', '1s', '5s'),
    },
  },
  {
    structure: 'ServiceConfig',
    fields: {
      disableCheckCalls: defaulted('bool', false, true),
      disableReportCalls: defaulted('bool', false, true),
      mixerAttributes: optional('Attributes', ATTRIBUTES),
      httpApiSpec: defaulted('HTTPAPISpec[]', [], [API_SPEC]),
      plans: optional('string[]', ['shop/gold']),
      quotaSpec: defaulted('QuotaSpec[]', [], [{ rules: [RULE] }]),
      networkFailPolicy: optional('NetworkFailPolicy', FAIL_POLICY),
      forwardAttributes: optional('Attributes', ATTRIBUTES),
    },
  },
  {
    structure: 'TransportConfig',
    fields: {
      disableCheckCache: defaulted('bool', false, true),
      disableQuotaCache: defaulted('bool', false, true),
      disableReportBatch: defaulted('bool', false, true),
      networkFailPolicy: defaulted('NetworkFailPolicy', FAIL_POLICY_DEFAULTS, FAIL_POLICY),
      statsUpdateInterval: defaulted('Duration', '10s', '3s'),
      checkCluster: defaulted('string', 'policy_server', 'checks'),
      reportCluster: defaulted('string', 'policy_server', 'reports'),
      attributesForMixerProxy: optional('Attributes', ATTRIBUTES),
      reportBatchMaxEntries: defaulted('uint32', 0, 4_294_967_295),
      reportBatchMaxTime: defaulted('Duration', '0s', '2s'),
    },
  },
  {
    structure: 'HttpClientConfig',
    fields: {
      transport: optional('TransportConfig', TRANSPORT),
      serviceConfigs: defaulted('map<string, ServiceConfig>', {}, { 'web.shop': SERVICE_CONFIG }),
      defaultDestinationService: optional('string', 'web.shop'),
      mixerAttributes: optional('Attributes', ATTRIBUTES),
      forwardAttributes: optional('Attributes', ATTRIBUTES),
      ignoreForwardedAttributes: defaulted('bool', false, true),
      countsFastQuotas: optional('bool', true),
    },
  },
  {
    structure: 'TcpClientConfig',
    fields: {
      transport: optional('TransportConfig', TRANSPORT),
      mixerAttributes: optional('Attributes', ATTRIBUTES),
      disableCheckCalls: defaulted('bool', false, true),
      disableReportCalls: defaulted('bool', false, true),
      connectionQuotaSpec: optional('QuotaSpec', { rules: [RULE] }),
      reportInterval: defaulted('Duration', '10s', '30s'),
    },
  },
];
