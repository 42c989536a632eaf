import { isRecord } from '../../base/record.js';
import { type ObjectKey, objectKey } from '../../config/object.js';
import type { RawObject } from '../../kubernetes/watch/raw-object.js';
import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';
import { secretText } from '../../kubernetes/watch/secret.js';

/** Selects the secrets that register clusters (docs/reference/sources.md#several-clusters). */
export const CLUSTER_SECRET_SELECTOR = { labelSelector: 'mesh/multiCluster=true' } as const;

/** A cluster as a secret registers it: one key of its data. */
export interface RegisteredCluster {
  readonly id: string;
  readonly secret: ObjectKey;
  /** RFC 3339; empty when unknown. */
  readonly since: string;
  /** A secret: it must not reach a log or a page. */
  readonly kubeconfig: string;
}

/** Keeps the registered clusters, and passes all of them on when one may have changed. */
export function createClusterSecrets(onChange: (registered: readonly RegisteredCluster[]) => void): ReflectorSink {
  let secrets = new Map<ObjectKey, readonly RegisteredCluster[]>();
  const tell = (): void => onChange([...secrets.values()].flat());
  return {
    isEmpty: () => secrets.size === 0,
    replace: () => {
      const next = new Map<ObjectKey, readonly RegisteredCluster[]>();
      return {
        add: (objects) => {
          for (const object of objects) next.set(keyOf(object), clustersOf(object));
        },
        commit: () => {
          secrets = next;
          tell();
        },
      };
    },
    apply: (events) => {
      for (const { type, object } of events) {
        if (type === 'DELETED') secrets.delete(keyOf(object));
        else secrets.set(keyOf(object), clustersOf(object));
      }
      if (events.length > 0) tell();
    },
  };
}

function keyOf({ metadata: { name, namespace = '' } }: RawObject): ObjectKey {
  return objectKey('Secret', namespace, name);
}

function clustersOf(secret: RawObject & { readonly data?: unknown }): readonly RegisteredCluster[] {
  const { creationTimestamp = '' } = secret.metadata as { readonly creationTimestamp?: string };
  const data = isRecord(secret.data) ? secret.data : {};
  return Object.keys(data).map((id) => ({
    id,
    secret: keyOf(secret),
    since: creationTimestamp,
    kubeconfig: secretText(data, id) ?? '',
  }));
}
