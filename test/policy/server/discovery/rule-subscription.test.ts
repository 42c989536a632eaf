import test from 'ava';
import { Registry } from 'prom-client';
import { DEFAULT_REGEX_LIMITS } from '../../../../src/config/regex/regex-limits.js';
import type { EncodedResource } from '../../../../src/envoy/encoded-resource.js';
import type { ExpressionLanguage } from '../../../../src/expressions/expression-types.js';
import { createRuleObjectGenerator } from '../../../../src/generators/policy/client-configs/rule-object-generator.js';
import { createResolvedRules } from '../../../../src/model/policy/rules/resolved-rules.js';
import type { PushContext } from '../../../../src/model/push-context.js';
import { buildAdapter } from '../../../../src/policy/rules/adapters/running-adapters.js';
import type { RulesInForce } from '../../../../src/policy/rules/rule-objects.js';
import { createRuleObjectReader } from '../../../../src/policy/server/discovery/rule-object-reader.js';
import { createRuleSubscription } from '../../../../src/policy/server/discovery/rule-subscription.js';
import { POLICY_TYPE_URLS } from '../../../../src/policy/wire/call-metadata.js';
import { loadPolicyProtos } from '../../../../src/policy/wire/policy-protos.js';
import { createRuleObjectDecoder, RULE_SETTINGS } from '../../../../src/policy/wire/rule-object-message.js';
import { createMetrics } from '../../../../src/telemetry/metrics.js';
import type { AdsStreamEvents } from '../../../../src/xds-client/ads-stream.js';
import { buildProxy } from '../../../generators/context-builder.js';
import { ENCODER, generateAll } from '../../../generators/served-resources.js';
import { ofCluster, tenantMesh } from '../../../model/policy/tenant-objects.js';
import { policyObjects } from '../../../status/analysis/support.js';
import { ACCOUNTS } from '../../../support/adapter-descriptors.js';
import { createFakeClock } from '../../../support/fake-clock.js';
import { createRecordingLogger } from '../../../support/recording-logger.js';
import { encodeResponse, readRequest, wrapped } from './discovery-wire.js';

const OBJECTS = `rule shop/deny {match: 'request.tier == "free"', actions: [{handler: refuse, instances: [any]}]}
  handler shop/refuse {compiledAdapter: denier, params: {status: {code: 7, message: no}}}
  instance shop/any {compiledTemplate: checknothing}
  attributemanifest mesh-system/plans {attributes: {request.tier: {valueType: STRING}}}`;
const SECRET = `rule shop/count {actions: [{handler: counter, instances: [requests]}]}
  handler shop/counter {compiledAdapter: redisquota, params: {redisServerUrl: "rediss://:secret@redis.shop:6379", quotas: [{name: requests, maxAmount: 1, validDuration: 1s}]}}
  instance shop/requests {compiledTemplate: quota}`;
const GATE = `rule shop/gate {actions: [{handler: gate, instances: [caller]}]}
  handler shop/gate {compiledAdapter: rbac}
  instance shop/caller {compiledTemplate: authorization}
  AuthorizationPolicy shop/readers {rules: [{to: [{operation: {methods: [GET]}}]}]}
  AuthorizationPolicy web/elsewhere {rules: [{}]}`;
const ON = { policy: { mixerCheckServer: 'policy.mesh-system.svc.cluster.local:15016' } };

function contextOf(text: string): PushContext {
  const { context } = tenantMesh(policyObjects(text));
  return { ...context, mesh: { ...context.mesh, policy: { ...context.mesh.policy, ...ON.policy } } };
}

/** What a control plane serves to a policy server. */
function served(
  context: PushContext,
  { language = 'legacy', seesAllPolicies }: { language?: string; seesAllPolicies?: boolean } = {},
): readonly EncodedResource[] {
  const proxy = buildProxy({ ...(seesAllPolicies !== undefined && { seesAllPolicies }) });
  return generateAll(createRuleObjectGenerator(ENCODER, language), context, proxy).resources;
}

function setUp() {
  let events: AdsStreamEvents | undefined;
  const sent: ReturnType<typeof readRequest>[] = [];
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const registry = new Registry();
  const uses: RulesInForce[] = [];
  const subscription = createRuleSubscription({
    openStream: (given) => {
      events = given;
      return { send: (bytes) => void sent.push(readRequest(bytes)), close: () => undefined };
    },
    node: () => Buffer.alloc(0),
    readRuleObject: createRuleObjectReader(
      createRuleObjectDecoder(loadPolicyProtos()),
      DEFAULT_REGEX_LIMITS.expressionBytes,
    ),
    clock,
    random: () => 0,
    logger,
    metrics: createMetrics(registry),
    use: (rules) => void uses.push(rules),
    onChange: () => undefined,
  });
  subscription.start();
  let versions = 0;
  return {
    subscription,
    uses,
    log: logger.records,
    respond: (entries: readonly Buffer[]): string | undefined => {
      const version = `v${++versions}`;
      const typeUrl = POLICY_TYPE_URLS.ruleObject;
      events?.received(encodeResponse({ version, nonce: version, typeUrl, body: entries }));
      return sent.at(-1)?.error;
    },
    metric: async (name: string) => (await registry.getSingleMetric(name)?.get())?.values,
  };
}

const entriesOf = (resources: readonly EncodedResource[]) => resources.map(({ entry }) => entry);

for (const language of ['legacy', 'cel'] as const satisfies readonly ExpressionLanguage[]) {
  test(`rules that come over xDS are those of the snapshot, in the language ${language}`, async (t) => {
    const context = contextOf(`${OBJECTS}\n${SECRET}\n${GATE}`);
    const { respond, uses, subscription, metric } = setUp();
    t.false(subscription.hasRules);
    t.is(respond(entriesOf(served(context, { language, seesAllPolicies: true }))), undefined);
    t.true(subscription.hasRules);
    const expected = createResolvedRules(language)(context);
    const shown = ({ rules, counts, language: of }: RulesInForce) => ({
      of,
      counts,
      rules: rules.map(({ key, spec, namespace, actions, attributes }) => [
        [key, spec, namespace, attributes.typeOf('request.tier')],
        actions.map(({ handler: { key: handler, spec: of, authorization: by }, instances }) => [
          [handler, of, by && { ...by, policies: by.policies.map(({ metadata, body }) => [metadata.name, body]) }],
          instances.map((each) => each.spec),
        ]),
      ]),
    });
    t.deepEqual(shown(uses[0] as RulesInForce), shown(expected));
    t.like(uses[0]?.rules.find(({ key }) => key === 'rule/shop/gate')?.actions[0]?.handler.authorization, {
      policies: [{ metadata: { name: 'readers' } }],
      trustDomains: ['cluster.local'],
    });
    t.is(uses[0]?.rules.length, 3);
    t.deepEqual(await metric('policy_discovery_rule_objects'), [{ value: 12, labels: {} }]);
  });
}

test('adapters of your own come over xDS with their templates and the parameters of handlers', (t) => {
  const context = contextOf(`rule shop/r {actions: [{handler: h, instances: [i]}]}
    handler shop/h {adapter: a, connection: {address: "a:1", timeout: 2s}, params: {plans: {k: gold}}}
    adapter shop/a {templates: [accounts], config: ${ACCOUNTS}, sessionBased: true}
    template shop/accounts {descriptor: ${ACCOUNTS}}
    instance shop/i {template: accounts, params: {key: request.path}}`);
  const { respond, uses } = setUp();
  t.is(respond(entriesOf(served(context))), undefined);
  const actions = ({ rules }: RulesInForce) =>
    rules.flatMap((rule) =>
      rule.actions.map(({ handler, instances }) => [
        { connection: handler.spec.connection, ...handler.adapter },
        instances.map(({ template }) => template.type === 'own' && template.wire),
      ]),
    );
  const [[handler] = []] = actions(uses[0] as RulesInForce);
  t.like(handler, { type: 'own', key: 'adapter/shop/a', isSessionBased: true, config: { message: 'accounts.Params' } });
  t.deepEqual(actions(uses[0] as RulesInForce), actions(createResolvedRules('legacy')(context)));
});

test('objects that do not change keep their identity, and their bytes', (t) => {
  const context = contextOf(OBJECTS);
  const generator = createRuleObjectGenerator(ENCODER, 'legacy');
  const first = generateAll(generator, context, buildProxy()).resources;
  const [refuse] = policyObjects('handler shop/refuse {compiledAdapter: noop}');
  const table = new Map([['handler/shop/refuse', refuse as NonNullable<typeof refuse>]]);
  const changed = { ...context, objects: new Map([...context.objects, ['handler', table] as const]) };
  const second = generateAll(generator, changed as PushContext, buildProxy()).resources;
  t.deepEqual(
    second.filter((resource) => !first.includes(resource)).map(({ name }) => name),
    ['handler/shop/refuse'],
  );
  const { respond, uses } = setUp();
  respond(entriesOf(first));
  respond(entriesOf(second));
  t.is(uses[1]?.rules[0]?.object, uses[0]?.rules[0]?.object);
  t.is(uses[1]?.rules[0]?.attributes, uses[0]?.rules[0]?.attributes);
  t.is(uses[1]?.rules[0]?.actions[0]?.handler.spec.compiledAdapter, 'noop');
});

test('grants of namespaces decide at the policy server too', (t) => {
  const objects = [
    ofCluster('rule evil/r {actions: [{handler: refuse.shop, instances: [any]}]}'),
    ofCluster('handler shop/refuse {compiledAdapter: denier}'),
    ofCluster('instance evil/any {compiledTemplate: checknothing}'),
  ];
  const { context } = tenantMesh(objects);
  const on = { ...context, mesh: { ...context.mesh, policy: { ...context.mesh.policy, ...ON.policy } } };
  const { respond, uses } = setUp();
  respond(entriesOf(served(on)));
  t.deepEqual(uses[0]?.rules, []);
  const byNamespace = new Map([['shop', new Set(['evil'])]]);
  respond(entriesOf(served({ ...on, bindingGrants: { ...on.bindingGrants, byNamespace } })));
  t.is(uses[1]?.rules.length, 1);
});

test('credentials of handlers go to authenticated policy servers only; elsewhere the handler does not run', (t) => {
  const context = contextOf(SECRET);
  const textOf = (resources: readonly EncodedResource[]) => Buffer.concat(entriesOf(resources)).toString();
  t.true(textOf(served(context, { seesAllPolicies: true })).includes(':secret@'));
  const open = served(context);
  t.false(textOf(open).includes(':secret@'));
  t.false(textOf(served(context, { seesAllPolicies: false })).includes(':secret@'));
  const { respond, uses } = setUp();
  t.is(respond(entriesOf(open)), undefined);
  const handler = uses[0]?.rules[0]?.actions[0]?.handler;
  t.throws(() => buildAdapter(handler as NonNullable<typeof handler>, undefined as never), {
    message: /credentials of the handler only to authenticated policy servers: set --discoveryRootCert/,
  });
});

test('a response without settings, with a broken object or of a later version is rejected as a whole', async (t) => {
  const good = served(contextOf(OBJECTS));
  const settings = good.find(({ name }) => name === RULE_SETTINGS) as EncodedResource;
  const { respond, uses, log, metric } = setUp();
  respond(entriesOf(good));
  const own = (name: string, bytes: Buffer) => wrapped(name, bytes, POLICY_TYPE_URLS.ruleObject);
  const spec = (text: string) => ENCODER.encode(POLICY_TYPE_URLS.ruleObject, { spec: text });
  const [rule] = good.filter(({ name }) => name === 'rule/shop/deny');
  t.is(respond(entriesOf([rule as EncodedResource])), 'the resource settings is missing');
  t.is(
    respond([settings.entry, own('rule/shop/r', spec('{"match":1}'))]),
    '"rule/shop/r": spec.match: 1: is a number, not a string; put it in quotes',
  );
  t.regex(respond([settings.entry, own('rule/shop/r', spec('{'))]) ?? '', /^"rule\/shop\/r": .*spec is not JSON/);
  t.regex(
    respond([settings.entry, own('plan/shop/p', spec('{}'))]) ?? '',
    /"plan\/shop\/p": is of a kind that this policy server does not know/,
  );
  t.regex(respond(entriesOf(served(contextOf(OBJECTS), { language: 'lisp' }))) ?? '', /language: "lisp" is none/);
  t.is(uses.length, 1);
  t.is(log.filter(({ message }) => message === 'rules rejected, the former ones stay in force').length, 5);
  t.deepEqual(await metric('policy_discovery_rule_updates_total'), [
    { value: 1, labels: { result: 'accepted' } },
    { value: 5, labels: { result: 'rejected' } },
  ]);
});

test('a client that may not see all policies gets the objects of its own namespace and of the root namespace', (t) => {
  const objects = `${OBJECTS}\nhandler bank/vault {compiledAdapter: noop}`;
  const names = served(contextOf(objects), { seesAllPolicies: false }).map(({ name }) => name);
  t.deepEqual(names, ['attributemanifest/mesh-system/plans', 'settings']);
});

test('an empty response means that there are no rules, as where the mesh config names no policy server', (t) => {
  const { respond, uses, subscription } = setUp();
  t.is(respond([]), undefined);
  t.true(subscription.hasRules);
  t.deepEqual(uses[0]?.rules, []);
});
