import { isRecord } from '../../base/record.js';

/** A Lease as the API server has it, as far as the election reads it. */
export interface Lease {
  readonly resourceVersion: string;
  /** Empty when nobody holds it. */
  readonly holder: string;
  readonly durationMs: number;
  readonly transitions: number;
  /** RFC 3339; when the holder got it. */
  readonly acquireTime: string | undefined;
}

export interface LeaseName {
  readonly namespace: string;
  readonly name: string;
}

/** Undefined for what is no Lease. */
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
  /** What there is at present; undefined for a Lease that is yet to be made. */
  readonly present: Lease | undefined;
}

/** The Lease as whoever claims, renews or releases it writes it: it must still be what it was seen to be. */
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
      // The API server wants a second at least.
      leaseDurationSeconds: Math.max(1, Math.round(durationMs / 1000)),
      acquireTime: isRenewal ? (present.acquireTime ?? time) : time,
      renewTime: time,
      leaseTransitions: (present?.transitions ?? 0) + (isRenewal || holder === '' ? 0 : 1),
    },
  };
}

/** The API server wants six digits of a second. */
function microTime(time: Date): string {
  return time.toISOString().replace('Z', '000Z');
}
