import { keyOf, type ObjectKey, objectKey } from '../../config/object.js';
import type { ExpressionLanguage } from '../../expressions/expression-types.js';
import { type AuthorizationJudgement, judgeRequest } from '../../generators/authorization/judge-request.js';
import { trustDomainsOf } from '../../generators/security/trusted-names.js';
import type { Endpoint } from '../../model/endpoint.js';
import { boundKeysOf } from '../../model/policy/explain-policy.js';
import { resolvePolicyBindings } from '../../model/policy/policy-bindings.js';
import { serviceAttributesOf } from '../../model/policy/service-config.js';
import type { PushContext } from '../../model/push-context.js';
import type { Service } from '../../model/service.js';
import { endpointsOf } from '../../model/snapshot/endpoints-of.js';
import { type AttributeBag, createAttributeBag } from '../../policy/client/attribute-bag.js';
import { type AttributeValue, stringMapAttribute } from '../../policy/client/attribute-value.js';
import { readAttributes } from '../../policy/client/attributes-from-config.js';
import { compileApiSpecs } from '../../policy/client/compile-api-specs.js';
import { deriveHttpAttributes } from '../../policy/client/http-attributes.js';
import { WORKLOAD_LABELS } from '../../policy/client/workload-labels.js';
import { type Answer, answersFor, dryRunAnswers } from './answers.js';
import type { AskedRequest } from './asked-request.js';
import { attributeText } from './attribute-text.js';
import { authorizationFacts, principalOf } from './authorization-facts.js';
import { type ExplainedPlans, explainPlans } from './explain-plans.js';
import { type ExplainedQuotas, explainQuotas, type LimitLookup } from './explain-quotas.js';
import { type ExplainedRules, explainRules, handlersCounting } from './explain-rules.js';
import { findService } from './find-service.js';

/** Why a request gets the answer that it gets: the objects that decide, in the order in which they do. */
export interface RequestExplanation {
  readonly method: string;
  readonly url: string;
  /** Of the rules: MESH_LANG. */
  readonly language: ExpressionLanguage;
  /** Undefined if the mesh has no service for the host. */
  readonly service: ExplainedService | undefined;
  /** The answers that Envoy can give, with their reasons, in the order in which they are decided. */
  readonly answers: readonly Answer[];
  /** The answers that objects with `dryRun` would give. They have no effect. */
  readonly dryRun: readonly Answer[];
}

export interface ExplainedService {
  readonly hostname: string;
  readonly object?: string;
  readonly endpoints: { readonly healthy: number; readonly all: number };
  readonly mutualTls: string;
  readonly requestAuthentications: readonly ObjectKey[];
  readonly authorization: AuthorizationJudgement;
  /** Attributes of the API operation: those of the best pattern. Empty if no pattern matches. */
  readonly operation: Readonly<Record<string, string>>;
  readonly apiSpecs: readonly ObjectKey[];
  readonly apiKey?: string;
  readonly plans: ExplainedPlans;
  readonly quotas: ExplainedQuotas;
  readonly rules: ExplainedRules;
  /** Specs that a binding names and that do not exist. */
  readonly missing: readonly ObjectKey[];
  /** Bindings without a grant of the service's namespace. */
  readonly notGranted: readonly ObjectKey[];
  /** All attributes of the request, as texts. */
  readonly attributes: Readonly<Record<string, string>>;
}

/** An ambiguous host. The message lists the services. */
class AmbiguousHostError extends Error {
  override readonly name = 'AmbiguousHostError';
  readonly code = 'AMBIGUOUS_HOST';
}

/**
 * Explains a request with the objects of a snapshot and the library that policy servers decide with. It reads no counter.
 *
 * @param language of rules
 * @throws AmbiguousHostError
 */
export function explainRequest(
  context: PushContext,
  request: AskedRequest,
  limitFor: LimitLookup,
  language: ExpressionLanguage,
): RequestExplanation {
  const { method, scheme, host, target, caller } = request;
  const url = `${scheme}://${host}${target}`;
  const found = findService(context, host, caller?.namespace);
  if (found.type === 'ambiguous') {
    throw new AmbiguousHostError(
      `${host} can be ${found.hostnames.join(' or ')}; write one of them, or say with --from who calls`,
    );
  }
  const service = found.type === 'found' ? found.service : undefined;
  const explained = service && explainService(context, service, request, limitFor, language);
  const answers = answersFor(context, request, service, explained);
  const dryRun = explained === undefined ? [] : dryRunAnswers(context, explained);
  return { method, url, language, service: explained, answers, dryRun };
}

function explainService(
  context: PushContext,
  service: Service,
  request: AskedRequest,
  limitFor: LimitLookup,
  language: ExpressionLanguage,
): ExplainedService {
  const { hostname, namespace, source } = service;
  const endpoints = endpointsOfPort(context, service, request.port);
  const labels = endpoints[0]?.labels ?? {};
  const bindings = resolvePolicyBindings(context);
  const keys = boundKeysOf(bindings, service);
  const apiSpecs = bindings.apiSpecsOf(service);
  const workloadLabels = stringMapAttribute(new Map(Object.entries(labels)));
  const api = compileApiSpecs(apiSpecs.map(({ body }) => body)).forWorkload(workloadLabels);
  const { layer: operation } = api.assess(request.method, request.target);
  const unplanned = createAttributeBag({
    // The proxy of the service decides.
    staticFilter: new Map<string, AttributeValue>([
      [WORKLOAD_LABELS, workloadLabels],
      ['context.reporter.kind', { type: 'string', value: 'inbound' }],
    ]),
    staticRoute: readAttributes(serviceAttributesOf(service), hostname),
    requestDerived: deriveHttpAttributes(
      { ...factsOf(request, hostname, context), connection: connectionOf(request, context) },
      api,
      operation,
    ),
    ignoreForwarded: true,
    isGateway: false,
  });
  const { explained: plans, bag } = explainPlans(context, bindings, service, unplanned);
  const authorization = context.authorizationPolicies.ofWorkload(namespace, labels);
  const authentication = context.requestAuthentications.ofWorkload(namespace, labels);
  const rules = explainRules(context, namespace, bag, language);
  const apiKey = api.apiKeyFor(request.target, request.headers);
  const attributes = textsOf(bag);
  return {
    hostname,
    ...(source === undefined ? {} : { object: source }),
    endpoints: { healthy: endpoints.filter(({ health }) => health === 'healthy').length, all: endpoints.length },
    mutualTls: context.peerAuthentications.ofNamespace(namespace).ofWorkload(labels).mode,
    requestAuthentications: [
      ...new Set(authentication.rules.map(({ of }) => objectKey('RequestAuthentication', of.namespace, of.name))),
    ],
    authorization: judgeRequest(
      authorization,
      trustDomainsOf(context.mesh, { trustDomain: '' }),
      authorizationFacts(request, context.mesh, endpoints, authentication.rules.length > 0),
    ),
    operation: Object.fromEntries([...operation.keys()].map((name) => [name, attributes[name] ?? ''])),
    apiSpecs: apiSpecs.map(keyOf),
    ...(apiKey === undefined ? {} : { apiKey }),
    plans,
    quotas: explainQuotas(bindings.quotaSpecsOf(service), bag, limitFor, (quota) => handlersCounting(rules, quota)),
    rules,
    missing: keys.missing,
    notGranted: keys.notGranted,
    attributes,
  };
}

function factsOf({ method, target, scheme, headers }: AskedRequest, host: string, _context: PushContext) {
  return {
    method,
    host: headers.get('host') ?? host,
    target,
    scheme,
    headers,
    timeNs: BigInt(Date.now()) * 1_000_000n,
  };
}

function connectionOf({ caller }: AskedRequest, { mesh }: PushContext) {
  return caller === undefined ? { isMtls: false } : { isMtls: true, sourcePrincipal: principalOf(caller, mesh) };
}

function endpointsOfPort(context: PushContext, service: Service, port: number): readonly Endpoint[] {
  const all = [...(endpointsOf(context, service)?.shards.values() ?? [])].flat();
  const named = service.ports.find(({ number }) => number === port);
  return named === undefined ? all : all.filter(({ portName }) => portName === named.name);
}

function textsOf(bag: AttributeBag): Readonly<Record<string, string>> {
  const names = [...bag.entries()].map(([name]) => name).sort();
  return Object.fromEntries(names.map((name) => [name, attributeText(name, bag)]));
}
