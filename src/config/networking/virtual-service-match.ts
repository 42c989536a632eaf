import type { Static } from 'typebox';
import * as Type from 'typebox';
import { exactlyOneOf } from '../policy/one-of.js';
import { MAX_REGEX_LENGTH } from '../regex/regex-size.js';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { VIRTUAL_SERVICE_LIMITS } from './virtual-service-limits.js';

const { nameLength, textLength, perCondition, gateways: maxGateways } = VIRTUAL_SERVICE_LIMITS;

const forms = () => ({
  exact: Type.Optional(Type.String({ description: 'The whole text.', maxLength: textLength })),
  prefix: Type.Optional(Type.String({ description: 'The start of the text.', minLength: 1, maxLength: textLength })),
  regex: Type.Optional(
    Type.String({
      description: 'A regular expression in RE2 syntax that matches the whole text.',
      minLength: 1,
      maxLength: MAX_REGEX_LENGTH,
    }),
  ),
});

/** Compares a text: exactly one of its members is set. */
export function textMatch(description: string) {
  return Type.Object(forms(), {
    additionalProperties: false,
    description: `${description} Exactly one of exact, prefix and regex is set.`,
    oneOf: exactlyOneOf('exact', 'prefix', 'regex'),
  });
}

/**
 * Compares the values of headers or query parameters. The rules of the object exclude two forms together: at this depth
 * the API server has no budget for a rule.
 */
function valueMatches(description: string) {
  return Type.Optional(
    stringMap(
      Type.Object(forms(), {
        additionalProperties: false,
        description: 'At most one of exact, prefix and regex; {} for any value.',
      }),
      { description, maxProperties: perCondition },
    ),
  );
}

const portField = (description: string) => Type.Optional(Type.Integer({ description, minimum: 1, maximum: 65535 }));

const subnets = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: nameLength }), { description, maxItems: perCondition }));

/** The conditions about the caller, which all routes have. */
const callerFields = {
  sourceLabels: Type.Optional(
    stringMap(Type.String({ maxLength: 63 }), {
      description: 'Labels that the workload of the caller must have; at a gateway those of the gateway.',
      maxProperties: perCondition,
    }),
  ),
  sourceNamespace: Type.Optional(
    Type.String({ description: 'Namespace of the workload of the caller.', maxLength: nameLength }),
  ),
  gateways: Type.Optional(
    Type.Array(Type.String({ maxLength: nameLength * 2 }), {
      description: 'Gateways to which the condition is limited, of those of the object; mesh for sidecars.',
      maxItems: maxGateways,
    }),
  ),
};

export const httpMatchSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({ description: 'Becomes a part of the name of the route.', maxLength: nameLength }),
    ),
    uri: Type.Optional(textMatch('The path, without query; case-sensitive unless ignoreUriCase is set.')),
    scheme: Type.Optional(textMatch('http or https.')),
    method: Type.Optional(textMatch('The method.')),
    authority: Type.Optional(textMatch('The Host header, with its port if it has one.')),
    headers: valueMatches('Headers by name, all of which must match.'),
    port: portField('Port of the host that the caller connects to.'),
    ...callerFields,
    queryParams: valueMatches('Query parameters by name, all of which must match.'),
    ignoreUriCase: Type.Optional(
      Type.Boolean({ description: 'Compares the path without regard to case; not for regex.' }),
    ),
    withoutHeaders: valueMatches('Headers by name, none of which may match.'),
  },
  { additionalProperties: false, description: 'A condition; all its fields must match.' },
);

export const tcpMatchSchema = Type.Object(
  {
    destinationSubnets: subnets('Addresses or CIDR ranges that the connection goes to.'),
    port: portField('Port that the caller connects to.'),
    sourceSubnet: Type.Optional(
      Type.String({ description: 'Address or CIDR range of the caller.', maxLength: nameLength }),
    ),
    ...callerFields,
  },
  { additionalProperties: false, description: 'A condition; all its fields must match.' },
);

export const tlsMatchSchema = Type.Object(
  {
    sniHosts: Type.Array(Type.String({ maxLength: nameLength + 2 }), {
      description: 'Server names (SNI) within the hosts of the object; the first label may be a wildcard.',
      minItems: 1,
      maxItems: perCondition,
    }),
    destinationSubnets: subnets('Addresses or CIDR ranges that the connection goes to.'),
    port: portField('Port that the caller connects to.'),
    ...callerFields,
  },
  { additionalProperties: false, description: 'A condition; all its fields must match.' },
);

export type HttpMatchSpec = Immutable<Static<typeof httpMatchSchema>>;
export type TcpMatchSpec = Immutable<Static<typeof tcpMatchSchema>>;
export type TlsMatchSpec = Immutable<Static<typeof tlsMatchSchema>>;
export type TextMatchSpec = Immutable<Static<ReturnType<typeof textMatch>>>;
