import { isFqdn } from '../primitives.js';
import { validateLabels } from '../read-metadata.js';
import type { Violation } from '../violation.js';
import type { HttpApiSpecBinding, QuotaSpecBinding } from './bindings.js';
import { firstViolations } from './first-violations.js';
import type { MeshServiceSpec } from './mesh-service.js';

/** Rules of a QuotaSpecBinding or HTTPAPISpecBinding that its schema cannot express (BEHAVIOUR 7, "MeshService"). */
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
