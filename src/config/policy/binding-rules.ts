import { isDnsLabel, isFqdn, isObjectName } from '../primitives.js';
import { validateLabels } from '../read-metadata.js';
import { childPath, type Violation } from '../violation.js';
import type { HttpApiSpecBinding, QuotaSpecBinding, QuotaSpecReference } from './bindings.js';
import { firstViolations } from './first-violations.js';
import type { MeshServiceSpec } from './mesh-service.js';

const LABEL_REMEDY = 'use at most 63 letters, digits and hyphens';

/** Rules of a QuotaSpecBinding that its schema cannot express (BEHAVIOUR 7). */
export function validateQuotaSpecBinding(binding: QuotaSpecBinding): readonly Violation[] {
  return firstViolations(bindingViolations(binding.services, binding.quotaSpecs, 'quotaSpecs'));
}

/** Rules of an HTTPAPISpecBinding that its schema cannot express (BEHAVIOUR 7). */
export function validateHttpApiSpecBinding(binding: HttpApiSpecBinding): readonly Violation[] {
  return firstViolations(bindingViolations(binding.services, binding.apiSpecs, 'apiSpecs'));
}

function* bindingViolations(
  services: readonly MeshServiceSpec[],
  references: readonly QuotaSpecReference[],
  referencesField: string,
): Iterable<Violation> {
  for (const [index, service] of services.entries()) yield* serviceViolations(service, childPath('services', index));
  for (const [index, reference] of references.entries()) {
    yield* referenceViolations(reference, childPath(referencesField, index));
  }
}

function* serviceViolations(service: MeshServiceSpec, path: string): Iterable<Violation> {
  if (service.service !== undefined) {
    for (const field of ['namespace', 'domain'] as const) {
      const value = service[field];
      if (value === undefined) continue;
      const remedy = `remove ${field}: service is the whole host name, or use name in place of service`;
      yield { path: `${path}.${field}`, value, message: 'is set together with service', remedy };
    }
  }
  for (const field of ['name', 'namespace'] as const) {
    const value = service[field];
    if (value === undefined || isDnsLabel(value)) continue;
    yield { path: `${path}.${field}`, value, message: `is not a ${field} of a service`, remedy: LABEL_REMEDY };
  }
  const { domain } = service;
  if (domain !== undefined && !isFqdn(domain)) {
    const remedy = 'use for example svc.cluster.local';
    yield { path: `${path}.domain`, value: domain, message: 'is not a domain name', remedy };
  }
  yield* validateLabels(service.labels, `${path}.labels`);
}

function* referenceViolations({ name, namespace }: QuotaSpecReference, path: string): Iterable<Violation> {
  if (!isObjectName(name)) {
    const remedy = 'use lower-case letters, digits, hyphens and dots, at most 253 of them';
    yield { path: `${path}.name`, value: name, message: 'is not the name of an object', remedy };
  }
  if (namespace !== undefined && !isDnsLabel(namespace)) {
    yield {
      path: `${path}.namespace`,
      value: namespace,
      message: 'is not a valid namespace name',
      remedy: LABEL_REMEDY,
    };
  }
}
