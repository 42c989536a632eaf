import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { attributesField, durationField } from './attributes.js';

/**
 * What happens when the policy server cannot be reached (docs/reference/policy-client.md#networkfailpolicy; defaults of
 * docs/reference/policy-client.md#retries).
 */
export const networkFailPolicySchema = Type.Object(
  {
    policy: Type.Enum(['FAIL_OPEN', 'FAIL_CLOSE'], {
      description: 'FAIL_OPEN lets the request pass, FAIL_CLOSE rejects it.',
      default: 'FAIL_OPEN',
    }),
    maxRetry: Type.Integer({
      description: 'Maximum retries after a transport error.',
      minimum: 0,
      maximum: 4294967295,
      default: 0,
    }),
    baseRetryWait: durationField({
      description: 'Wait before the first retry. Later retries wait longer, with jitter.',
      default: '80ms',
    }),
    maxRetryWait: durationField({ description: 'Maximum wait before a retry.', default: '1s' }),
  },
  { additionalProperties: false, description: 'What happens when the policy server cannot be reached.' },
);

/** How the client calls the policy server (docs/reference/policy-client.md#transportconfig). */
export const transportConfigSchema = Type.Object(
  {
    disableCheckCache: Type.Boolean({ description: 'Whether answers to Check are not cached.', default: false }),
    disableQuotaCache: Type.Boolean({ description: 'Whether quotas are not prefetched.', default: false }),
    disableReportBatch: Type.Boolean({ description: 'Whether each report is sent separately.', default: false }),
    networkFailPolicy: Type.Object(networkFailPolicySchema.properties, {
      additionalProperties: false,
      description:
        'What happens when the policy server cannot be reached, for services without a setting of their own.',
      default: {},
    }),
    statsUpdateInterval: durationField({
      description: "Interval at which client statistics are written to the proxy's shared memory.",
      default: '10s',
    }),
    checkCluster: Type.String({
      description: 'Cluster that check calls go to.',
      minLength: 1,
      default: 'policy_server',
    }),
    reportCluster: Type.String({
      description: 'Cluster that report calls go to.',
      minLength: 1,
      default: 'policy_server',
    }),
    attributesForMixerProxy: Type.Optional(
      attributesField('Attributes for the proxy in front of the policy server; typically source.ip and source.uid.'),
    ),
    reportBatchMaxEntries: Type.Integer({
      description: "Maximum requests in one report; 0 is the client's own default.",
      minimum: 0,
      maximum: 4294967295,
      default: 0,
    }),
    reportBatchMaxTime: durationField({
      description: "Maximum time that a request waits to be reported; 0s is the client's own default.",
      default: '0s',
    }),
  },
  { additionalProperties: false, description: 'How the policy client calls the policy server.' },
);

export type NetworkFailPolicy = Immutable<Static<typeof networkFailPolicySchema>>;
export type TransportConfig = Immutable<Static<typeof transportConfigSchema>>;
