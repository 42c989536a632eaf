import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { attributesField, durationField } from './attributes.js';
import { boundHttpApiSpecSchema, boundQuotaSpecSchema } from './bound-specs.js';
import { networkFailPolicySchema, transportConfigSchema } from './transport-config.js';

function flag(description: string) {
  return Type.Boolean({ description, default: false });
}

const DESTINATION_ATTRIBUTES =
  'Default attributes of every Check and Report; typically destination.ip and destination.uid.';

/** Configuration of the client for one service (docs/reference/policy-client.md#serviceconfig). */
export const serviceConfigSchema = Type.Object(
  {
    disableCheckCalls: flag('Whether Check is not called.'),
    disableReportCalls: flag('Whether Report is not called.'),
    mixerAttributes: Type.Optional(
      attributesField(
        'Attributes of every Check and Report; typically destination.service. Attributes of a route override them.',
      ),
    ),
    httpApiSpec: Type.Array(boundHttpApiSpecSchema, { description: 'Sources of API attributes.', default: [] }),
    plans: Type.Optional(
      Type.Array(Type.String(), {
        description: 'The plans of the service, each by namespace and name. Its requests need a key of one of them.',
      }),
    ),
    quotaSpec: Type.Array(boundQuotaSpecSchema, { description: 'Quotas that requests charge.', default: [] }),
    networkFailPolicy: Type.Optional(networkFailPolicySchema),
    forwardAttributes: Type.Optional(
      attributesField(
        'Attributes forwarded upstream; typically source.ip and source.uid. Attributes of a route override them.',
      ),
    ),
  },
  { additionalProperties: false, description: 'Configuration of the policy client for one service.' },
);

/** Configuration of the client for HTTP (docs/reference/policy-client.md#httpclientconfig). */
export const httpClientConfigSchema = Type.Object(
  {
    transport: Type.Optional(transportConfigSchema),
    serviceConfigs: stringMap(serviceConfigSchema, {
      description: 'Configuration per service, by destination.service.',
      default: {},
    }),
    defaultDestinationService: Type.Optional(
      Type.String({ description: 'The destination service of a request without a destination service.', minLength: 1 }),
    ),
    mixerAttributes: Type.Optional(attributesField(DESTINATION_ATTRIBUTES)),
    forwardAttributes: Type.Optional(
      attributesField('Default attributes forwarded upstream; typically source.ip and source.uid.'),
    ),
    ignoreForwardedAttributes: flag(
      'Whether attributes in request headers are ignored: false inside the mesh, true on gateways.',
    ),
    countsFastQuotas: Type.Optional(
      Type.Boolean({
        description:
          'Whether the proxy enforces the fast QuotaSpecs of its service itself, so that its Checks do not charge them.',
      }),
    ),
  },
  { additionalProperties: false, description: 'Configuration of the policy client for HTTP.' },
);

/**
 * Configuration of the client for TCP (docs/reference/policy-client.md#tcpclientconfig). `reportInterval` below 1 s
 * counts as 1 s.
 */
export const tcpClientConfigSchema = Type.Object(
  {
    transport: Type.Optional(transportConfigSchema),
    mixerAttributes: Type.Optional(attributesField(DESTINATION_ATTRIBUTES)),
    disableCheckCalls: flag('Whether Check is not called.'),
    disableReportCalls: flag('Whether Report is not called.'),
    connectionQuotaSpec: Type.Optional(boundQuotaSpecSchema),
    reportInterval: durationField({
      description: 'Time between reports of a long connection; less than 1s counts as 1s.',
      default: '10s',
    }),
  },
  { additionalProperties: false, description: 'Configuration of the policy client for TCP.' },
);

export type ServiceConfig = Immutable<Static<typeof serviceConfigSchema>>;
export type HttpClientConfig = Immutable<Static<typeof httpClientConfigSchema>>;
export type TcpClientConfig = Immutable<Static<typeof tcpClientConfigSchema>>;
