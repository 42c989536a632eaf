import type { Static } from 'typebox';
import * as Type from 'typebox';
import { isFqdn } from '../primitives.js';
import { validateLabels } from '../read-metadata.js';
import type { Immutable } from '../schema/immutable.js';
import type { Violation } from '../violation.js';
import { firstViolations, LIMITS } from './limits.js';
import type { MeshServiceSpec } from './mesh-service.js';
import { DNS_LABEL_PATTERN, meshServiceSchema, OBJECT_NAME_PATTERN } from './mesh-service.js';

function referenceSchema(kind: string) {
  return Type.Object(
    {
      name: Type.String({
        description: `Name of the ${kind}: lower-case letters, digits, hyphens and dots.`,
        minLength: 1,
        maxLength: LIMITS.nameLength,
        pattern: OBJECT_NAME_PATTERN,
      }),
      namespace: Type.Optional(
        Type.String({
          description: `Namespace of the ${kind}, a DNS label; default: the namespace of the binding.`,
          minLength: 1,
          maxLength: 63,
          pattern: DNS_LABEL_PATTERN,
        }),
      ),
    },
    { additionalProperties: false, description: `Names a ${kind}.` },
  );
}

function services(kind: string) {
  return Type.Array(meshServiceSchema, {
    description: `The services that the listed ${kind}s apply to.`,
    minItems: 1,
    maxItems: LIMITS.bindingItems,
  });
}

function references<Schema extends ReturnType<typeof referenceSchema>>(schema: Schema, kind: string) {
  return Type.Array(schema, {
    description: `The ${kind}s. Their rules should not match the same requests.`,
    minItems: 1,
    maxItems: LIMITS.bindingItems,
  });
}

export const quotaSpecReferenceSchema = referenceSchema('QuotaSpec');
const httpApiSpecReferenceSchema = referenceSchema('HTTPAPISpec');

/** `spec` of a QuotaSpecBinding (docs/reference/policy-kinds.md#quotaspecbinding). */
export const quotaSpecBindingSchema = Type.Object(
  { services: services('QuotaSpec'), quotaSpecs: references(quotaSpecReferenceSchema, 'QuotaSpec') },
  { additionalProperties: false, description: 'Binds QuotaSpecs to services.' },
);

/** `spec` of an HTTPAPISpecBinding (docs/reference/policy-kinds.md#httpapispec). */
export const httpApiSpecBindingSchema = Type.Object(
  { services: services('HTTPAPISpec'), apiSpecs: references(httpApiSpecReferenceSchema, 'HTTPAPISpec') },
  { additionalProperties: false, description: 'Binds HTTPAPISpecs to services.' },
);

export type QuotaSpecReference = Immutable<Static<typeof quotaSpecReferenceSchema>>;
export type HttpApiSpecReference = Immutable<Static<typeof httpApiSpecReferenceSchema>>;
export type QuotaSpecBinding = Immutable<Static<typeof quotaSpecBindingSchema>>;
export type HttpApiSpecBinding = Immutable<Static<typeof httpApiSpecBindingSchema>>;

/**
 * Rules of a QuotaSpecBinding or HTTPAPISpecBinding that its schema cannot express
 * (docs/reference/validation-rules.md#meshservice-rules).
 */
export function validatePolicyBinding({ services }: QuotaSpecBinding | HttpApiSpecBinding): readonly Violation[] {
  return firstViolations(servicesViolations(services));
}

function* servicesViolations(services: readonly MeshServiceSpec[]): Iterable<Violation> {
  for (const [index, { domain, labels }] of services.entries()) {
    if (domain !== undefined && !isFqdn(domain)) {
      yield {
        path: `services[${index}].domain`,
        value: domain,
        message: 'is not a domain name',
        remedy: 'use for example svc.cluster.local',
      };
    }
    yield* validateLabels(labels, `services[${index}].labels`);
  }
}
