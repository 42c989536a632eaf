import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { clientTlsSettingsSchema } from './client-tls-settings.js';
import { connectionPoolSchema, outlierDetectionSchema } from './destination-rule-connections.js';
import { loadBalancerSchema } from './destination-rule-load-balancer.js';

/** Limits of one rule. Each subset of a host makes a cluster for each of its ports, in every client. */
export const DESTINATION_RULE_LIMITS = {
  /** Subsets of one rule, and of all rules for one host together. */
  subsets: 128,
  /** Subsets of the rules for one wildcard together: every service that it matches gets them. */
  subsetsOfWildcard: 16,
  labels: 64,
  ports: 64,
  namespaces: 1000,
  textLength: 1024,
} as const;

const { textLength: maxLength } = DESTINATION_RULE_LIMITS;

const policyFields = {
  loadBalancer: Type.Optional(loadBalancerSchema),
  connectionPool: Type.Optional(connectionPoolSchema),
  outlierDetection: Type.Optional(outlierDetectionSchema),
  tls: Type.Optional(clientTlsSettingsSchema),
};

const portSelectorSchema = Type.Object(
  { number: Type.Integer({ description: 'Port of the service, 1 to 65535.', minimum: 1, maximum: 65535 }) },
  { additionalProperties: false, description: 'A port of the service.' },
);

const trafficPolicySchema = Type.Object(
  {
    ...policyFields,
    portLevelSettings: Type.Optional(
      Type.Array(
        Type.Object(
          { port: portSelectorSchema, ...policyFields },
          { additionalProperties: false, description: 'The policy of one port.' },
        ),
        {
          description:
            'Policies of single ports. A port with one inherits nothing: what it does not set has its default.',
          maxItems: DESTINATION_RULE_LIMITS.ports,
        },
      ),
    ),
  },
  { additionalProperties: false, minProperties: 1, description: 'How clients connect to the endpoints.' },
);

const subsetSchema = Type.Object(
  {
    name: Type.String({ description: 'Name of the subset, by which routes refer to it; a DNS label.', maxLength }),
    labels: stringMap(Type.String({ maxLength: 63 }), {
      description: 'Labels. The subset has the endpoints whose workloads have all of them.',
      default: {},
      maxProperties: DESTINATION_RULE_LIMITS.labels,
    }),
    trafficPolicy: Type.Optional(trafficPolicySchema),
  },
  { additionalProperties: false, description: 'A named part of the endpoints of the host.' },
);

/**
 * `spec` of a DestinationRule (docs/reference/validation-rules.md#destinationrule). A field with a default is optional in
 * a file and always present in the object that the model reads.
 */
export const destinationRuleSchema = Type.Object(
  {
    host: Type.String({
      description:
        'Host of the service. A name without dots is a Service in the namespace of the rule. *.example.com and * match several hosts; the longest matching pattern applies.',
      minLength: 1,
      maxLength,
    }),
    trafficPolicy: Type.Optional(trafficPolicySchema),
    subsets: Type.Optional(
      Type.Array(subsetSchema, {
        description: 'Named parts of the endpoints. Their policies come before the policy of the rule.',
        maxItems: DESTINATION_RULE_LIMITS.subsets,
      }),
    ),
    exportTo: Type.Array(Type.String({ maxLength }), {
      description:
        'Namespaces of clients that the rule applies to: * for all, . for its own, or names. Empty: defaultDestinationRuleExportTo of the mesh config.',
      default: [],
      maxItems: DESTINATION_RULE_LIMITS.namespaces,
    }),
  },
  { additionalProperties: false, description: 'How clients connect to the endpoints of a host.' },
);

export type DestinationRuleSpec = Immutable<Static<typeof destinationRuleSchema>>;
export type TrafficPolicySpec = NonNullable<DestinationRuleSpec['trafficPolicy']>;
export type PortPolicySpec = NonNullable<TrafficPolicySpec['portLevelSettings']>[number];
export type SubsetSpec = NonNullable<DestinationRuleSpec['subsets']>[number];
