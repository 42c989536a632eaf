import { DERIVED_MESSAGE_CODES } from './derived-message-codes.js';
import { GENERAL_MESSAGE_CODES } from './general-message-codes.js';
import { MESH_MESSAGE_CODES } from './mesh-message-codes.js';
import { PLAN_MESSAGE_CODES } from './plan-message-codes.js';
import { RULE_MESSAGE_CODES } from './rule-message-codes.js';

/** Severity of a message. */
export type MessageLevel = 'Error' | 'Warn' | 'Info';

/** The parts of a message that its code determines. */
export interface MessageCode {
  readonly code: `MESH${string}`;
  readonly level: MessageLevel;
  /** The problem in general, without a particular object. */
  readonly title: string;
  readonly remedy: string;
  /** The facts that messages of the code need and that a part of a mesh's files does not have. Default: none. */
  readonly needs?: MessageNeed;
}

/**
 * `wholeMesh`: the message says that an object does not exist, so it holds only if all objects are known. `meshConfig`:
 * the message depends on settings of the mesh config.
 */
export type MessageNeed = 'wholeMesh' | 'meshConfig';

/**
 * All codes (docs/analysis.md). 0001 to 0129 are general; from 0201 policies, from 0301 security, from 0401
 * listeners, from 0501 services, from 0601 Ingresses. A code never changes its meaning, and the code of a removed message is not used again.
 */
export const MESSAGE_CODES = {
  ...GENERAL_MESSAGE_CODES,
  unboundSpec: {
    code: 'MESH0201',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'No binding names a QuotaSpec or HTTPAPISpec, so the spec applies to no service.',
    remedy: 'create a binding that names the spec and its services',
  },
  missingService: {
    code: 'MESH0202',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'A binding names a service that does not exist.',
    remedy: 'correct name, namespace and domain of the service, or create it',
  },
  overlappingConditions: {
    code: 'MESH0203',
    level: 'Warn',
    title: 'One request can match rules of two specs that are bound to the same service.',
    remedy: 'make the conditions exclude one another, or put the rules into one spec',
  },
  policyNotEnforced: {
    code: 'MESH0204',
    level: 'Warn',
    needs: 'meshConfig',
    title: 'A policy exists, but the settings of the mesh turn enforcement off.',
    remedy:
      'set mixerCheckServer to embedded or host:port, and disablePolicyChecks to false, in the mesh config, and leave policy in --plugins; until then no request is refused because of it',
  },
  unusableServicePattern: {
    code: 'MESH0205',
    level: 'Warn',
    title: 'A service of a binding has no name, or a pattern with * that matches nothing.',
    remedy: 'use * for every service, *text* for hosts that contain a text, or a whole host name',
  },
  overlapCheckIncomplete: {
    code: 'MESH0207',
    level: 'Info',
    title: 'There are too many rules to check all overlaps; only the first overlaps are reported.',
    remedy: 'bind fewer or smaller specs to one service, if overlaps matter',
  },
  unlimitedQuota: {
    code: 'MESH0208',
    level: 'Warn',
    title: 'A rule charges a quota without a limit on the policy server, so it never rejects a request.',
    remedy: 'add the quota to the file of --policyConfig, or correct its name',
  },
  policyServerWithoutGrpc: {
    code: 'MESH0209',
    level: 'Error',
    title: 'The service port of a policy server is not declared as gRPC, so every call to the policy server fails.',
    remedy: 'name the port grpc-…, or set its appProtocol to grpc',
  },
  undeclaredProtocol: {
    code: 'MESH0210',
    level: 'Warn',
    title:
      'Quotas are bound to a service with a port without a declared protocol. Callers of that port can avoid being counted.',
    remedy: 'name the port http-…, grpc-… or tcp-…, or set its appProtocol',
  },
  chargeAboveLimit: {
    code: 'MESH0212',
    level: 'Warn',
    title: 'A rule charges more than the limit of its quota, so every request that matches the rule is rejected.',
    remedy: 'lower the charge, or raise maxAmount of the quota in the file of --policyConfig',
  },
  shadowedService: {
    code: 'MESH0213',
    level: 'Warn',
    title:
      'Two services lead to the same port of a workload. The policies of the older service apply, those of the younger do not.',
    remedy: 'bind the spec to the older service too, or give each service its own port of the workload',
  },
  bindingNotGranted: {
    code: 'MESH0214',
    level: 'Warn',
    needs: 'wholeMesh',
    title:
      'A binding names services or specs of a namespace that does not grant it access, so it has no effect on them.',
    remedy:
      'ask an owner of that namespace to run the command, bind from the root namespace, or name only services of the own namespace, as *.NAMESPACE.svc.*',
  },
  labelsWithoutWorkload: {
    code: 'MESH0215',
    level: 'Warn',
    needs: 'wholeMesh',
    title: 'A binding selects workloads of a service by labels that no workload of the service has.',
    remedy: 'correct the labels, or label the workloads',
  },
  redundantItem: {
    code: 'MESH0216',
    level: 'Warn',
    title: 'Two items of a binding say the same, so one of them has no effect.',
    remedy: 'remove the item, or correct it',
  },
  wrongProtocol: {
    code: 'MESH0217',
    level: 'Warn',
    title: 'No port of a bound service has a protocol to which the specs apply.',
    remedy: 'bind to services with such ports, or name the port http-…, grpc-… or tcp-…, or set its appProtocol',
  },
  externalService: {
    code: 'MESH0218',
    level: 'Warn',
    needs: 'meshConfig',
    title: 'A binding names a service outside the mesh. Only gateways check requests to it.',
    remedy:
      'set enableClientSidePolicyCheck in the mesh config, or annotate the callers with policy.mesh.internal/check',
  },
  policyInConflict: {
    code: 'MESH0219',
    level: 'Warn',
    title: 'A bound service loses requests to another service. The policies of the other service apply to them.',
    remedy: 'resolve the conflict of the services, or bind the specs to both',
  },
  regexesBeyondService: {
    code: 'MESH0221',
    level: 'Error',
    title:
      'The regular expressions of all specs of a service are too large. Rules with expressions beyond the limit have no effect, and FAIL_CLOSE rejects requests that such rules might match.',
    remedy: 'bind fewer or smaller specs to the service, or raise NAV_REGEX_SERVICE_BYTES',
  },
  regexesBeyondNamespace: {
    code: 'MESH0222',
    level: 'Warn',
    title:
      'The regular expressions of a namespace are too large. Their compiled programs are evicted first, and compiled again for each use.',
    remedy: 'use exact and prefix matches, remove specs of the namespace, or raise NAV_REGEX_NAMESPACE_BYTES',
  },
  unknownAttribute: {
    code: 'MESH0231',
    level: 'Warn',
    title: 'A condition or dimension names an attribute that no request has.',
    remedy:
      'use an attribute of docs/attributes.md, or set it by an HTTPAPISpec of the service; leave it if callers forward it',
  },
  lateAttribute: {
    code: 'MESH0232',
    level: 'Warn',
    title: 'A condition or dimension names an attribute whose value is not known yet when quotas are charged.',
    remedy: 'use an attribute that docs/attributes.md says is known at a check',
  },
  impossibleCondition: {
    code: 'MESH0233',
    level: 'Warn',
    title: 'A condition needs a value that its attribute never has, so no request matches.',
    remedy: 'correct the value: docs/attributes.md says what the attribute holds',
  },
  redundantMatch: {
    code: 'MESH0234',
    level: 'Warn',
    title:
      'Another match of the rule, plan or limit already covers every request of this match, so this match has no effect.',
    remedy: 'remove the match, or narrow the other one',
  },
  contradiction: {
    code: 'MESH0235',
    level: 'Warn',
    title: 'Conditions of one clause exclude one another, so no request matches.',
    remedy: 'put each condition into its own match, of which one is enough, or correct the conditions',
  },
  uniqueDimension: {
    code: 'MESH0236',
    level: 'Warn',
    title: 'A dimension of a quota has a new value for each request, so the quota never rejects a request.',
    remedy: 'count by an attribute of the caller, such as request.api_key or source.principal',
  },
  chargesNothing: {
    code: 'MESH0241',
    level: 'Warn',
    title: 'A QuotaSpec, a rule or a quota of it charges nothing.',
    remedy: 'name the quota to charge, with a charge of 1 or more, or remove it',
  },
  anyMethod: {
    code: 'MESH0242',
    level: 'Warn',
    title: 'A pattern has no method, so it matches requests of every method.',
    remedy: 'set httpMethod, to "*" if every method is meant',
  },
  noPatterns: {
    code: 'MESH0243',
    level: 'Warn',
    title: 'An HTTPAPISpec has no patterns, so it generates no API attributes.',
    remedy: 'add patterns, unless the spec only sets the place of the API key',
  },
  shadowedPattern: {
    code: 'MESH0244',
    level: 'Warn',
    title: 'An earlier pattern or API key already matches all requests of this one, so this one has no effect.',
    remedy: 'remove one of the two, or correct it',
  },
  generatesNothing: {
    code: 'MESH0245',
    level: 'Warn',
    title: 'A field of an HTTPAPISpec sets no attributes, or sets an attribute that another field always overrides.',
    remedy: 'set the attributes of requests, or remove the field',
  },
  impossiblePattern: {
    code: 'MESH0246',
    level: 'Warn',
    title: 'A pattern has a method or an expression that no request matches.',
    remedy: 'use a method of RFC 7231, and begin an expression with the slash of the path',
  },
  failPolicyWithoutChecks: {
    code: 'MESH0252',
    level: 'Warn',
    needs: 'meshConfig',
    title: 'A service has a fail policy of its own, but no proxy checks requests, so it has no effect.',
    remedy: 'turn checks on in the mesh config, or remove the annotations',
  },
  failPolicyShared: {
    code: 'MESH0253',
    level: 'Warn',
    title:
      'Services have too many different fail policies: checks of HTTP requests on the calling side make no retries for some of them.',
    remedy: 'give services the same numbers of retries and the same waits',
  },
  countersNotShared: {
    code: 'MESH0261',
    level: 'Warn',
    title:
      'Several replicas of the policy server count quotas in memory, each for itself, so they admit more than the limits.',
    remedy:
      'set storage in the policy configuration to a Redis that all replicas reach (overlays/redis), or run one replica',
  },
  fastStaysExact: {
    code: 'MESH0262',
    level: 'Warn',
    title: 'A QuotaSpec with enforcement fast stays exact, because proxies cannot enforce it.',
    remedy:
      'use conditions and dimensions that proxies can see (docs/fast-quotas.md), such as a prefix of source.principal instead of source.namespace, or set enforcement to exact; quotas with a list of keys, rateLimitHeaders, refund and dryRun are always exact',
  },
  ...RULE_MESSAGE_CODES,
  ...PLAN_MESSAGE_CODES,
  ...MESH_MESSAGE_CODES,
  ...DERIVED_MESSAGE_CODES,
} as const satisfies Readonly<Record<string, MessageCode>>;

export type MessageName = keyof typeof MESSAGE_CODES;
