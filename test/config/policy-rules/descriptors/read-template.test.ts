import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import { loadAll } from 'js-yaml';
import { COMPILED_TEMPLATES } from '../../../../src/config/policy-rules/catalogue/compiled-templates.js';
import type { TemplateField, TemplateFields } from '../../../../src/config/policy-rules/catalogue/template-fields.js';
import { builtInTemplate } from '../../../../src/config/policy-rules/descriptors/built-in-templates.js';
import { readDescriptorSet } from '../../../../src/config/policy-rules/descriptors/read-descriptor-set.js';
import { readTemplate } from '../../../../src/config/policy-rules/descriptors/read-template.js';
import { templateFieldsOf } from '../../../../src/config/policy-rules/descriptors/template-fields-of.js';
import { projectRoot } from '../../../counterparts/project-root.js';
import { ACCOUNTS, descriptorOf, descriptorOfTemplate } from '../../../support/adapter-descriptors.js';

const read = (descriptor: string) => readTemplate(readDescriptorSet(descriptor));

test('a template of your own says how its adapters are called', (t) => {
  t.deepEqual(read(ACCOUNTS), {
    name: 'accounts',
    variety: 'check',
    method: '/accounts.HandleAccountsService/HandleAccounts',
    package: 'accounts',
    request: { instance: 1, adapterConfig: 2, dedupId: 3 },
    instanceName: 72295727,
    fields: [{ name: 'key', number: 1, type: 'value', valueType: 'STRING' }],
    output: { result: 1, output: 2, fields: [{ name: 'plan', number: 1, valueType: 'STRING' }] },
  });
});

/** Whether an expression must be given is not part of a message. */
function optional(fields: TemplateFields): unknown {
  const shown = (field: TemplateField): unknown => {
    if (field.type === 'message') return { type: 'message', fields: optional(field.fields) };
    return field.type === 'value' ? { type: 'value', valueType: field.valueType } : { type: 'values' };
  };
  return Object.fromEntries(Object.entries(fields).map(([name, field]) => [name, shown(field)]));
}

test('the messages of proto/mesh/adapters have the fields of the built-in templates', (t) => {
  for (const { name, variety, fields, idle } of COMPILED_TEMPLATES.values()) {
    if (idle !== undefined) continue;
    const wire = builtInTemplate(name);
    t.is(wire?.variety, variety, name);
    const written = templateFieldsOf(wire?.fields ?? []);
    // Values of other types become texts in calls.
    const expected = name === 'listentry' ? { value: { type: 'value', valueType: 'STRING' } } : optional(fields);
    t.deepEqual(optional(written), expected, name);
    t.deepEqual(read(descriptorOfTemplate(name)), wire, name);
  }
});

/** As the public adapters of these templates have them. */
const PUBLISHED: readonly string[] = [
  '/checknothing.HandleCheckNothingService/HandleCheckNothing 1 72295727: ',
  '/reportnothing.HandleReportNothingService/HandleReportNothing 1 72295727: ',
  '/listentry.HandleListEntryService/HandleListEntry 1 72295727: value=1',
  '/quota.HandleQuotaService/HandleQuota 1 72295727: dimensions=1',
  '/apikey.HandleApiKeyService/HandleApiKey 1 72295727: api=1 api_version=2 api_operation=3 api_key=4 timestamp=5',
  '/authorization.HandleAuthorizationService/HandleAuthorization 1 72295727: subject=1 action=2',
  '/logentry.HandleLogEntryService/HandleLogEntry 1 72295727: variables=1 timestamp=2 severity=3 monitored_resource_type=4 monitored_resource_dimensions=5',
  '/metric.HandleMetricService/HandleMetric 1 72295727: value=1 dimensions=2 monitored_resource_type=3 monitored_resource_dimensions=4',
  '/tracespan.HandleTraceSpanService/HandleTraceSpan 1 72295727: trace_id=1 span_id=2 parent_span_id=3 span_name=4 start_time=5 end_time=6 span_tags=7 httpStatusCode=8 client_span=9 rewrite_client_span_id=10 source_name=11 source_ip=12 destination_name=13 destination_ip=14 request_size=15 request_total_size=16 response_size=17 response_total_size=18 api_protocol=19',
  '/edge.HandleEdgeService/HandleEdge 1 72295727: timestamp=1 source_workload_namespace=10 source_workload_name=11 source_owner=12 source_uid=13 destination_workload_namespace=20 destination_workload_name=21 destination_owner=22 destination_uid=23 destination_service_namespace=24 destination_service_name=25 context_protocol=30 api_protocol=31',
];

test('the published paths, names and numbers of built-in templates do not change', (t) => {
  const shown = [...COMPILED_TEMPLATES.keys()].flatMap((name) => {
    const wire = builtInTemplate(name);
    if (wire === undefined) return [];
    const fields = wire.fields.map((field) => `${field.name}=${field.number}`);
    return `${wire.method} ${wire.request.instance} ${wire.instanceName}: ${fields.join(' ')}`;
  });
  t.deepEqual(shown, PUBLISHED);
});

const HEAD = `syntax = "proto3"; package own;
  import "google/protobuf/any.proto"; import "mesh/adapters/model.proto"; import "mesh/adapters/values.proto";
  option (istio.mixer.adapter.model.v1beta1.template_variety) = TEMPLATE_VARIETY_CHECK;
  service HandleOwnService { rpc HandleOwn(HandleOwnRequest) returns (istio.mixer.adapter.model.v1beta1.CheckResult); }`;
const REQUEST = 'message HandleOwnRequest { InstanceMsg instance = 1; }';

const REFUSED: Readonly<Record<string, readonly [text: string, message: string]>> = {
  'no option': [
    'syntax = "proto3"; package own; message InstanceMsg {}',
    'has no file with the option (istio.mixer.adapter.model.v1beta1.template_variety)',
  ],
  'no service': [
    `${HEAD.replace(/service.*/, '')} ${REQUEST} message InstanceMsg {}`,
    'has no service Handle… in own.proto',
  ],
  'no instance': [
    `${HEAD} message HandleOwnRequest { string x = 1; }`,
    'has no field instance in own.HandleOwnRequest',
  ],
  'reports with one instance': [
    `${HEAD.replace('VARIETY_CHECK', 'VARIETY_REPORT')} ${REQUEST} message InstanceMsg {}`,
    'has not the field that its variety needs in own.HandleOwnRequest',
  ],
  'a quota without its request': [
    `${HEAD.replace('VARIETY_CHECK', 'VARIETY_QUOTA')} ${REQUEST} message InstanceMsg {}`,
    'has no field quota_request in own.HandleOwnRequest',
  ],
  'a type that no expression has': [
    `${HEAD} ${REQUEST} message InstanceMsg { bytes body = 1; }`,
    'has the field body in own.InstanceMsg, whose type no expression has',
  ],
  'a list': [
    `${HEAD} ${REQUEST} message InstanceMsg { repeated string names = 1; }`,
    'has the field names in own.InstanceMsg, whose type no expression has',
  ],
  'a map by number': [
    `${HEAD} ${REQUEST} message InstanceMsg { map<int64, string> names = 1; }`,
    'has the field names in own.InstanceMsg, whose type no expression has',
  ],
  'fields without an end': [
    `${HEAD} ${REQUEST} message InstanceMsg { InstanceMsg next = 1; }`,
    'has more than 16 levels of messages in own.InstanceMsg',
  ],
  'fields that multiply': [
    `${HEAD} ${REQUEST} message InstanceMsg { A a = 1; A b = 2; A c = 3; A d = 4; }
     ${'ABCDE'.replace(/./g, (name) => `message ${name} { ${[1, 2, 3, 4].map((at) => `${name === 'E' ? 'string' : String.fromCharCode(name.charCodeAt(0) + 1)} f${at} = ${at};`).join(' ')} }\n`)}`,
    'has more than 256 fields in its instances',
  ],
  'two spellings of one name': [
    `${HEAD} ${REQUEST} message InstanceMsg { string api_key = 1; string apiKey = 2; }`,
    'has two fields apiKey in own.InstanceMsg',
  ],
  'output without its message': [
    `${HEAD.replace('VARIETY_CHECK', 'VARIETY_CHECK_WITH_OUTPUT')} ${REQUEST} message InstanceMsg {}`,
    'has not the fields result and output in istio.mixer.adapter.model.v1beta1.CheckResult',
  ],
};

for (const [title, [text, message]] of Object.entries(REFUSED)) {
  test(`a template is refused: ${title}`, (t) => {
    t.is(t.throws(() => read(descriptorOf(text)))?.message, message);
  });
}

test('fields have the types of their messages, also in maps and in messages', (t) => {
  const { fields } = read(
    descriptorOf(`${HEAD} ${REQUEST} message InstanceMsg {
      istio.policy.v1beta1.Value any = 1; istio.policy.v1beta1.IPAddress ip = 2; map<string, int64> sizes = 3;
      Inner inner = 4; int64 size = 5; double share = 6; bool is_new = 7;
      istio.policy.v1beta1.TimeStamp time = 8; istio.policy.v1beta1.Duration wait = 9; istio.policy.v1beta1.Uri uri = 10;
      istio.policy.v1beta1.DNSName host = 11; istio.policy.v1beta1.EmailAddress mail = 12; }
      message Inner { map<string, istio.policy.v1beta1.Value> more = 1; }`),
  );
  t.deepEqual(templateFieldsOf(fields), {
    any: { type: 'value', valueType: 'any' },
    ip: { type: 'value', valueType: 'IP_ADDRESS' },
    sizes: { type: 'values', valueType: 'INT64' },
    inner: { type: 'message', fields: { more: { type: 'values' } } },
    size: { type: 'value', valueType: 'INT64' },
    share: { type: 'value', valueType: 'DOUBLE' },
    isNew: { type: 'value', valueType: 'BOOL' },
    time: { type: 'value', valueType: 'TIMESTAMP' },
    wait: { type: 'value', valueType: 'DURATION' },
    uri: { type: 'value', valueType: 'URI' },
    host: { type: 'value', valueType: 'DNS_NAME' },
    mail: { type: 'value', valueType: 'EMAIL_ADDRESS' },
  });
});

test('the sample has the descriptor of its .proto file', (t) => {
  const objects = loadAll(readFileSync(join(projectRoot(), 'samples/adapters/accounts.yaml'), 'utf8')) as readonly {
    readonly spec: { readonly descriptor?: string; readonly config?: string };
  }[];
  const descriptors = objects.flatMap(({ spec }) => spec.descriptor ?? spec.config ?? []);
  t.is(descriptors.length, 2);
  for (const descriptor of descriptors) t.deepEqual(read(descriptor), read(ACCOUNTS));
});
