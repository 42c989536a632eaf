import { isRecord } from '../../base/record.js';

/** The fields of a Lease that the election reads. */
export interface Lease {
  readonly resourceVersion: string;
  /** Empty when no instance holds it. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  /** RFC 3339; when the holder acquired it. */
  readonly acquireTime: string | undefined;
}

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** Undefined when the value is not a Lease. */
export function parseLease(body: unknown): Lease | undefined {
  if (!isRecord(body) || !isRecord(body['metadata'])) return undefined;
  const { resourceVersion } = body['metadata'];
  if (typeof resourceVersion !== 'string') return undefined;
  const spec = isRecord(body['spec']) ? body['spec'] : {};
  const { holderIdentity, leaseDurationSeconds, leaseTransitions, acquireTime } = spec;
  return {
    resourceVersion,
    holder: typeof holderIdentity === 'string' ? holderIdentity : '',
    durationMs: typeof leaseDurationSeconds === 'number' ? leaseDurationSeconds * 1000 : 0,
    transitions: typeof leaseTransitions === 'number' ? leaseTransitions : 0,
    acquireTime: typeof acquireTime === 'string' ? acquireTime : undefined,
  };
}

export interface LeaseClaim {
  readonly holder: string;
  readonly durationMs: number;
  readonly now: Date;
  /** The present Lease; undefined for a new one. */
  readonly present: Lease | undefined;
}

/**
 * The Lease to write for a claim, a renewal or a release. Its resource version makes the write fail if the Lease has
 * changed.
 */
export function leaseManifest(
  { namespace, name }: LeaseName,
  { holder, durationMs, now, present }: LeaseClaim,
): object {
  const isRenewal = present?.holder === holder;
  const time = microTime(now);
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name, namespace, ...(present === undefined ? {} : { resourceVersion: present.resourceVersion }) },
    spec: {
      holderIdentity: holder,
      // The API server requires at least one second.
      leaseDurationSeconds: Math.max(1, Math.round(durationMs / 1000)),
      acquireTime: isRenewal ? (present.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: (present?.transitions ?? 0) + (isRenewal || holder === '' ? 0 : 1),
    },
  };
}

/** The API server requires six digits after the second. */
function microTime(time: Date): string {
  return time.toISOString().replace('Z', '000Z');
}
