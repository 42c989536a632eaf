/** How bad a message is (BEHAVIOUR 8, "Analysis"). */
export type MessageLevel = 'Error' | 'Warn' | 'Info';

/** What is known about a code beside the message itself. */
export interface MessageCode {
  readonly code: `MESH${string}`;
  readonly level: MessageLevel;
  /** What is the matter, as a sentence about no object in particular. */
  readonly title: string;
  readonly remedy: string;
}

/**
 * The one table of codes. 0001 to 0129 are those of BEHAVIOUR 8, "Messages"; those above are ours: 0201 and on speak of
 * policies, 0301 and on of mutual TLS, 0401 and on of listeners, 0501 and on of services. A code never changes its
 * meaning, and that of a retired one is not used again.
 */
export const MESSAGE_CODES = {
  internalError: {
    code: 'MESH0001',
    level: 'Error',
    title: 'An analyzer failed; what it would have found is missing.',
    remedy: 'report it, with the message',
  },
  missingReference: {
    code: 'MESH0101',
    level: 'Error',
    title: 'A reference names a resource that does not exist.',
    remedy: 'create the resource, or correct name and namespace of the reference',
  },
  unknownAnnotation: {
    code: 'MESH0108',
    level: 'Warn',
    title: 'An annotation of the mesh is on an object of a kind that has no such annotation, so it has no effect.',
    remedy: 'docs/annotations.md lists the annotations of each kind',
  },
  unusableAnnotation: {
    code: 'MESH0125',
    level: 'Warn',
    title: 'An annotation of a Service, ServiceEntry or Namespace has a value that cannot be used.',
    remedy: 'docs/annotations.md lists the annotations, their values, and what holds instead of a wrong one',
  },
  unboundSpec: {
    code: 'MESH0201',
    level: 'Warn',
    title: 'A QuotaSpec or HTTPAPISpec is in no binding, so it applies to no service.',
    remedy: 'write a binding that names it and the services that it is for',
  },
  missingService: {
    code: 'MESH0202',
    level: 'Warn',
    title: 'A service of a binding does not exist, so the binding does nothing for it.',
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
    title: 'Nothing enforces a policy that is present.',
    remedy:
      'set mixerCheckServer to embedded or host:port, and disablePolicyChecks to false, in the mesh config, and leave policy in --plugins; until then no request is refused because of it',
  },
  unusableServicePattern: {
    code: 'MESH0205',
    level: 'Warn',
    title: 'A service of a binding has no name, or uses * in a way that matches nothing.',
    remedy: 'use * for every service, *text* for hosts that contain a text, or a whole host name',
  },
  unusedServiceLabels: {
    code: 'MESH0206',
    level: 'Warn',
    title: 'An HTTPAPISpecBinding names workloads by labels, but API attributes are those of whole services.',
    remedy: 'remove the labels, or name them in a QuotaSpecBinding, which they restrict',
  },
  overlapCheckIncomplete: {
    code: 'MESH0207',
    level: 'Info',
    title: 'There are too many rules to look for all overlaps; the first ones found are told.',
    remedy: 'bind fewer or smaller specs to one service, if overlaps matter',
  },
  unlimitedQuota: {
    code: 'MESH0208',
    level: 'Warn',
    title: 'A rule charges a quota that the policy server has no limit for, so that it never refuses.',
    remedy: 'add the quota to the file of --policyConfig, or correct its name',
  },
  policyServerWithoutGrpc: {
    code: 'MESH0209',
    level: 'Error',
    title: 'A policy server is at a service port that does not speak gRPC, so that every call to it fails.',
    remedy: 'name the port grpc-…, or set its appProtocol to grpc',
  },
  undeclaredProtocol: {
    code: 'MESH0210',
    level: 'Warn',
    title: 'Quotas are bound to a service with a port of no declared protocol, where callers can avoid being counted.',
    remedy: 'name the port http-…, grpc-… or tcp-…, or set its appProtocol',
  },
  chargeAboveLimit: {
    code: 'MESH0212',
    level: 'Warn',
    title: 'A rule charges more than its quota ever has, so that every request it is for is refused.',
    remedy: 'lower the charge, or raise maxAmount of the quota in the file of --policyConfig',
  },
  shadowedService: {
    code: 'MESH0213',
    level: 'Warn',
    title:
      'Workloads serve a port for an older service, so the policies of a younger one that leads there do not hold.',
    remedy: 'bind the spec to the older service too, or let the services lead to ports of their own',
  },
  bindingNotGranted: {
    code: 'MESH0214',
    level: 'Warn',
    title:
      'A binding names services or specs of a namespace that does not grant it to act there, so it does nothing for them.',
    remedy:
      'have an owner of that namespace run the command, bind from the root namespace, or name services of the own namespace alone, as *.NAMESPACE.svc.*',
  },
  labelsWithoutWorkload: {
    code: 'MESH0215',
    level: 'Warn',
    title: 'A service of a binding names labels that no workload of the service carries.',
    remedy: 'correct the labels, or label the workloads',
  },
  redundantItem: {
    code: 'MESH0216',
    level: 'Warn',
    title: 'An item of a binding says what another item of it says already, so it changes nothing.',
    remedy: 'remove the item, or correct it',
  },
  wrongProtocol: {
    code: 'MESH0217',
    level: 'Warn',
    title: 'A binding names a service without a port whose protocol its specs are for.',
    remedy: 'bind to services with such ports, or name the port http-…, grpc-… or tcp-…, or set its appProtocol',
  },
  externalService: {
    code: 'MESH0218',
    level: 'Warn',
    title: 'A binding names a service outside of the mesh, for which only gateways check.',
    remedy:
      'set enableClientSidePolicyCheck in the mesh config, or annotate the callers with policy.mesh.internal/check',
  },
  regexesBeyondService: {
    code: 'MESH0221',
    level: 'Error',
    title:
      'The regular expressions of all specs of a service are too large: rules with those beyond the limit have no effect, and FAIL_CLOSE refuses requests they might be for.',
    remedy: 'bind fewer or smaller specs to the service, or raise NAV_REGEX_SERVICE_BYTES',
  },
  regexesBeyondNamespace: {
    code: 'MESH0222',
    level: 'Warn',
    title:
      'The regular expressions of a namespace are too large: their programs are evicted first, and compiled again and again.',
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
    title: 'A condition or dimension names an attribute that is not known yet when quotas are charged.',
    remedy: 'use an attribute that docs/attributes.md says is known at a check',
  },
  impossibleCondition: {
    code: 'MESH0233',
    level: 'Warn',
    title: 'A condition wants a value that its attribute never has, so no request meets it.',
    remedy: 'correct the value: docs/attributes.md says what the attribute holds',
  },
  redundantMatch: {
    code: 'MESH0234',
    level: 'Warn',
    title:
      'A match of a rule holds only for requests for which another match of the rule holds, so it changes nothing.',
    remedy: 'remove the match, or narrow the other one',
  },
  contradiction: {
    code: 'MESH0235',
    level: 'Warn',
    title: 'Conditions of one clause exclude one another, so no request meets them all.',
    remedy: 'put the conditions into matches of their own, any of which is enough, or correct them',
  },
  uniqueDimension: {
    code: 'MESH0236',
    level: 'Warn',
    title: 'A quota is counted by an attribute that differs from request to request, so that it never refuses.',
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
    title: 'A pattern has no method, so it is for requests of every method.',
    remedy: 'set httpMethod, to "*" if every method is meant',
  },
  noPatterns: {
    code: 'MESH0243',
    level: 'Warn',
    title: 'An HTTPAPISpec has no patterns, so it generates no API attributes.',
    remedy: 'add patterns, unless the place of the API key is all that it is to say',
  },
  shadowedPattern: {
    code: 'MESH0244',
    level: 'Warn',
    title: 'A pattern or an API key comes after one that takes its requests, so it has no effect.',
    remedy: 'remove it, or correct the one of the two that is wrong',
  },
  generatesNothing: {
    code: 'MESH0245',
    level: 'Warn',
    title: 'An HTTPAPISpec sets no attributes in a place, or sets one that another place always replaces.',
    remedy: 'set the attributes that requests are to get, or remove the field',
  },
  impossiblePattern: {
    code: 'MESH0246',
    level: 'Warn',
    title: 'A pattern has a method or an expression that requests do not match.',
    remedy: 'correct it: methods are those of RFC 7231, and an expression begins with the slash of the path',
  },
  failPolicyWithoutChecks: {
    code: 'MESH0252',
    level: 'Warn',
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
  ignoredPeerAuthentication: {
    code: 'MESH0301',
    level: 'Warn',
    title: 'A PeerAuthentication holds for no workload, because an older one of its level does.',
    remedy: 'change the older one or remove it, or select workloads that it does not hold for',
  },
  peerAuthenticationOff: {
    code: 'MESH0302',
    level: 'Warn',
    title: 'A PeerAuthentication has no effect, because --plugins does not name authn.',
    remedy: 'add authn to --plugins; until then workloads take mutual TLS and plaintext (PERMISSIVE)',
  },
  listenerConflict: {
    code: 'MESH0401',
    level: 'Warn',
    title:
      'An older service has the address and port that a younger one wants, so proxies do not serve the younger one there.',
    remedy: 'give the service another port, or an address of its own',
  },
  confinedEntry: {
    code: 'MESH0501',
    level: 'Warn',
    title:
      "A ServiceEntry claims hosts or addresses that are not its namespace's to give to others, so it acts on its own namespace alone.",
    remedy: 'other namespaces are not affected by it; serviceEntryScope of the mesh config decides where entries act',
  },
  sharedClusterIp: {
    code: 'MESH0502',
    level: 'Warn',
    title: 'Two Services have the same cluster IP, so connections to it reach the older one on the ports of both.',
    remedy: 'give one of the Services another clusterIP',
  },
} as const satisfies Readonly<Record<string, MessageCode>>;

export type MessageName = keyof typeof MESSAGE_CODES;
