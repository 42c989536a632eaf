/**
 * The ids of buckets in which stock Envoy counts fast quotas (docs/policies.md#exact-or-fast). Discovery writes them into
 * filters, and proxies send them with their reports to the policy server.
 */

/** `domain` of the filters: one stream for all services of a proxy. */
export const BUCKET_DOMAIN = 'inbound';

/** Host of the service. Names of dimensions are attributes, which have a dot. */
const SERVICE = 'service';
/** The charges of one request, as JSON. */
const CHARGES = 'charges';
/** In the id of the bucket that shows whether the policy server answers, in place of charges. */
const GUARD = 'guard';
const GUARDED = 'policy server';

/** A bucket's id, without its dimensions. */
export type BucketPurpose =
  | { readonly type: 'quotas'; readonly service: string; readonly charges: ReadonlyMap<string, number> }
  /** Has an assignment as long as a policy server answers. */
  | { readonly type: 'guard'; readonly service: string };

/** The values of dimensions, by their text. */
export type BucketDimensions = ReadonlyMap<string, string>;

export interface BucketName {
  readonly purpose: BucketPurpose;
  readonly dimensions: BucketDimensions;
}

/** The fixed parts of the id of a bucket. */
export function bucketIdOf(purpose: BucketPurpose): Readonly<Record<string, string>> {
  const { service } = purpose;
  if (purpose.type === 'guard') return { [SERVICE]: service, [GUARD]: GUARDED };
  return { [SERVICE]: service, [CHARGES]: JSON.stringify([...purpose.charges]) };
}

const MAX_CHARGES = 100;

/** Reads the id of a bucket that a proxy reports; undefined for an id of another form. */
export function readBucketId(id: Readonly<Record<string, string>>): BucketName | undefined {
  const { [SERVICE]: service = '', [CHARGES]: chargesText, [GUARD]: guard, ...dimensions } = id;
  if (service === '') return undefined;
  if (guard !== undefined) {
    // One id for each service: a proxy must not invent others.
    const isOwn = guard === GUARDED && Object.keys(id).length === 2;
    return isOwn ? { purpose: { type: 'guard', service }, dimensions: new Map() } : undefined;
  }
  const charges = chargesText === undefined ? undefined : readCharges(chargesText);
  if (charges === undefined) return undefined;
  return { purpose: { type: 'quotas', service, charges }, dimensions: new Map(Object.entries(dimensions)) };
}

function readCharges(text: string): ReadonlyMap<string, number> | undefined {
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!Array.isArray(read) || read.length === 0 || read.length > MAX_CHARGES) return undefined;
  return read.every(isCharge) ? new Map(read) : undefined;
}

function isCharge(entry: unknown): entry is readonly [string, number] {
  if (!Array.isArray(entry)) return false;
  const [quota, amount] = entry as readonly unknown[];
  return typeof quota === 'string' && Number.isSafeInteger(amount) && (amount as number) > 0;
}
