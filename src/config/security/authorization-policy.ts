import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { workloadSelectorSchema } from './workload-selector.js';

/** Every list of a rule, and the values in it: a policy is sent to each workload that it selects. */
const MAX_RULES = 256;
const MAX_ENTRIES = 64;
const MAX_VALUES = 256;
const MAX_VALUE_LENGTH = 1024;

function values(description: string) {
  return Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: MAX_VALUE_LENGTH }), {
      description,
      minItems: 1,
      maxItems: MAX_VALUES,
    }),
  );
}

/** A list, and its twin of values that must not match. */
function pair<const Name extends string, const Twin extends string>(name: Name, twin: Twin, description: string) {
  return {
    [name]: values(`${description} One of them must match.`),
    [twin]: values(`None of these must match; otherwise as ${name}.`),
  } as Record<Name | Twin, ReturnType<typeof values>>;
}

const PATTERN =
  'A value may begin or end with "*", which stands for any text; "*" alone for any text that is not empty.';

const sourceSchema = Type.Object(
  {
    ...pair(
      'principals',
      'notPrincipals',
      `Identities of mutual TLS, such as cluster.local/ns/shop/sa/web. ${PATTERN}`,
    ),
    ...pair(
      'requestPrincipals',
      'notRequestPrincipals',
      `Issuer and subject of a JWT, as <issuer>/<subject>. ${PATTERN}`,
    ),
    ...pair('namespaces', 'notNamespaces', `Namespaces of identities of mutual TLS. ${PATTERN}`),
    ...pair('ipBlocks', 'notIpBlocks', 'Addresses that connections come from: IP addresses or CIDR ranges.'),
  },
  { additionalProperties: false, description: 'A source; all its fields must match.', minProperties: 1 },
);

const operationSchema = Type.Object(
  {
    ...pair('hosts', 'notHosts', `Hosts of requests, in any case and without port. ${PATTERN}`),
    ...pair('ports', 'notPorts', 'Ports that the workload listens on, as text.'),
    ...pair('methods', 'notMethods', `Methods of requests, such as GET. ${PATTERN}`),
    ...pair('paths', 'notPaths', `Paths of requests, without query. ${PATTERN}`),
  },
  { additionalProperties: false, description: 'An operation; all its fields must match.', minProperties: 1 },
);

const conditionSchema = Type.Object(
  {
    key: Type.String({
      description: 'What is compared, for example request.headers[version], source.ip or connection.sni.',
      minLength: 1,
      maxLength: MAX_VALUE_LENGTH,
    }),
    ...pair('values', 'notValues', `Values of the key. ${PATTERN}`),
  },
  { additionalProperties: false, description: 'A condition on one property of the request or connection.' },
);

const ruleSchema = Type.Object(
  {
    from: Type.Optional(
      Type.Array(Type.Object({ source: sourceSchema }, { additionalProperties: false, description: 'A source.' }), {
        description: 'Sources, one of which must match; absent: any.',
        minItems: 1,
        maxItems: MAX_ENTRIES,
      }),
    ),
    to: Type.Optional(
      Type.Array(
        Type.Object({ operation: operationSchema }, { additionalProperties: false, description: 'An operation.' }),
        { description: 'Operations, one of which must match; absent: any.', minItems: 1, maxItems: MAX_ENTRIES },
      ),
    ),
    when: Type.Optional(
      Type.Array(conditionSchema, {
        description: 'Conditions, all of which must match.',
        minItems: 1,
        maxItems: MAX_ENTRIES,
      }),
    ),
  },
  { additionalProperties: false, description: 'A rule. An empty rule matches every request.' },
);

/**
 * `spec` of an AuthorizationPolicy (docs/reference/validation-rules.md#authorizationpolicy). Without a selector it applies
 * to the workloads of its namespace, and in the root namespace to the whole mesh.
 */
export const authorizationPolicySchema = Type.Object(
  {
    selector: Type.Optional(workloadSelectorSchema),
    rules: Type.Optional(
      Type.Array(ruleSchema, {
        description:
          'Rules. A request matches the policy if it matches one of them. ALLOW without rules allows nothing.',
        maxItems: MAX_RULES,
      }),
    ),
    action: Type.Enum(['ALLOW', 'DENY', 'AUDIT'], {
      description:
        'ALLOW: a workload with such policies accepts only requests that match one of them. DENY: matching requests are ' +
        'rejected, also if ALLOW matches. AUDIT: matching requests are only recorded.',
      default: 'ALLOW',
    }),
  },
  { additionalProperties: false, description: 'Which requests and connections workloads accept.' },
);

export type AuthorizationPolicySpec = Immutable<Static<typeof authorizationPolicySchema>>;
export type AuthorizationRule = NonNullable<AuthorizationPolicySpec['rules']>[number];
export type AuthorizationSource = NonNullable<AuthorizationRule['from']>[number]['source'];
export type AuthorizationOperation = NonNullable<AuthorizationRule['to']>[number]['operation'];
export type AuthorizationCondition = NonNullable<AuthorizationRule['when']>[number];
