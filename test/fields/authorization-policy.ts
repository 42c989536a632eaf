import type { KindFields } from './kind-fields.js';

const DENY = 'DENY has precedence over ALLOW, and a policy of the root namespace applies to the whole mesh';

export const AUTHORIZATION_POLICY: KindFields = {
  kind: 'AuthorizationPolicy',
  file: 'e2e/authorization.test.ts',
  fields: {
    'AuthorizationPolicy.selector':
      'ALLOW lets through what one of the policies matches, on requests and on connections',
    'AuthorizationPolicy.rules': 'a namespace that allows nothing rejects requests and connections',
    'AuthorizationPolicy.action': DENY,
    'AuthorizationPolicy.Action.ALLOW': 'a namespace that allows nothing rejects requests and connections',
    'AuthorizationPolicy.Action.DENY': DENY,
    'AuthorizationPolicy.Action.AUDIT': 'AUDIT rejects nothing, and Envoy counts the requests that match',
    'Rule.from': 'one of several sources and operations',
    'Rule.to': 'one of several sources and operations',
    'Rule.when': 'a header',
    'From.source': 'a source and an operation',
    'To.operation': 'a source and an operation',
    'Source.principals': 'an identity',
    'Source.notPrincipals': 'all identities but one',
    'Source.requestPrincipals': 'a JWT',
    'Source.notRequestPrincipals': 'no JWT',
    'Source.namespaces': 'a namespace',
    'Source.notNamespaces': 'all namespaces but one',
    'Source.ipBlocks': 'an address, as a condition',
    'Source.notIpBlocks': 'all addresses but some',
    'Operation.hosts': 'a host, in any case and with any port',
    'Operation.notHosts': 'all hosts but one',
    'Operation.ports': 'a port of the workload',
    'Operation.notPorts': 'all ports but one',
    'Operation.methods': 'a method',
    'Operation.notMethods': 'all methods but one',
    'Operation.paths': 'a path',
    'Operation.notPaths': 'all paths but one',
    'Condition.key': 'any value of a header',
    'Condition.values': 'a header',
    'Condition.notValues': 'an identity, as a condition',
  },
};
