import type { Static } from 'typebox';
import * as Type from 'typebox';
import type { Immutable } from '../schema/immutable.js';
import { stringMap } from '../schema/string-map.js';
import { LIMITS } from './limits.js';
import { neverTogether } from './one-of.js';

/** Patterns of names, so that the API server checks them too. Separate limits apply to their lengths. */
export const DNS_LABEL_PATTERN = '^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?$';
const FQDN_PATTERN = '^[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([-A-Za-z0-9]*[A-Za-z0-9])?)*\\.?$';
export const OBJECT_NAME_PATTERN = '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$';

/**
 * Names a service, or several with wildcards: either by `name` with an optional namespace and domain, or by `service`
 * (docs/reference/policy-kinds.md#meshservice, docs/reference/policy-kinds.md#binding-resolution).
 */
export const meshServiceSchema = Type.Object(
  {
    name: Type.Optional(
      Type.String({
        description: 'Short name of the service, a DNS label.',
        minLength: 1,
        maxLength: 63,
        pattern: DNS_LABEL_PATTERN,
      }),
    ),
    namespace: Type.Optional(
      Type.String({
        description:
          'Namespace of the service, a DNS label; default: the namespace of the object. Only together with name.',
        minLength: 1,
        maxLength: 63,
        pattern: DNS_LABEL_PATTERN,
      }),
    ),
    domain: Type.Optional(
      Type.String({
        description:
          'Domain suffix that completes name and namespace; default: svc. and the domain of the cluster. Only together with name.',
        minLength: 1,
        maxLength: 255,
        pattern: FQDN_PATTERN,
      }),
    ),
    service: Type.Optional(
      Type.String({
        description:
          'Full host name of the service; * is every service, *text* is every service whose host contains the text.',
        minLength: 1,
        maxLength: LIMITS.nameLength + 2,
      }),
    ),
    labels: stringMap(Type.String({ maxLength: 63 }), {
      description: 'Labels of workloads. The binding then acts only on requests to workloads that carry all of them.',
      default: {},
      maxProperties: 64,
    }),
  },
  {
    additionalProperties: false,
    description:
      'A service: either name, with namespace and domain, or service, but not both. Without either, the item names no service.',
    allOf: neverTogether(['name', 'service'], ['service', 'namespace'], ['service', 'domain']),
  },
);

export type MeshServiceSpec = Immutable<Static<typeof meshServiceSchema>>;
