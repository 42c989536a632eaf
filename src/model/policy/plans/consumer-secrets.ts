import type { ObjectKey } from '../../../config/object.js';
import type { ConsumerSpec } from '../../../config/plans/consumer.js';
import type { PushContext } from '../../push-context.js';
import { apiKeySecretName } from './api-key-secrets.js';

/** The Secrets that Consumers name: names by namespace. Only these may be read. */
export type NeededSecrets = ReadonlyMap<string, ReadonlySet<string>>;

type Objects = PushContext['objects'];

export function neededSecrets(objects: Objects): NeededSecrets {
  const needed = new Map<string, Set<string>>();
  for (const { metadata, body } of objects.get('Consumer')?.values() ?? []) {
    for (const { secretRef } of (body as ConsumerSpec).keys) {
      if (secretRef === undefined) continue;
      const names = needed.get(metadata.namespace) ?? new Set();
      needed.set(metadata.namespace, names.add(secretRef.name));
    }
  }
  return needed;
}

/** The Consumers that name one of the Secrets. @param secrets names as in `ApiKeySecrets` */
export function* consumersOfSecrets(objects: Objects, secrets: ReadonlySet<string>): Iterable<ObjectKey> {
  for (const [key, { metadata, body }] of objects.get('Consumer') ?? []) {
    const isNaming = (body as ConsumerSpec).keys.some(
      ({ secretRef }) => secretRef !== undefined && secrets.has(apiKeySecretName(metadata.namespace, secretRef.name)),
    );
    if (isNaming) yield key;
  }
}
