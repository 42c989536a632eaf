import type { MeshObject, ObjectKey } from '../../config/object.js';
import type { QuotaSpec } from '../../config/policy/quota-spec.js';

/** The kinds that decide which requests charge a QuotaSpec, beside services. */
const DECIDING_KINDS: ReadonlySet<string> = new Set([
  'QuotaSpec',
  'QuotaSpecBinding',
  'HTTPAPISpec',
  'HTTPAPISpecBinding',
  'Plan',
  'Namespace',
]);

/** Keeps which QuotaSpecs ask for `fast`, so that a mesh without any pays nothing for a changed policy. */
export class FastQuotaTable {
  readonly #fast = new Set<string>();

  /** Takes a changed object. @returns whether filters of proxies may follow from it */
  set(cluster: string, key: ObjectKey, object: MeshObject): boolean {
    const { kind } = object;
    if (!DECIDING_KINDS.has(kind)) return false;
    if (kind !== 'QuotaSpec') return this.#fast.size > 0;
    const id = `${cluster}/${key}`;
    const wasFast = this.#fast.delete(id);
    const isFast = (object.body as QuotaSpec).enforcement === 'fast';
    if (isFast) this.#fast.add(id);
    return wasFast || isFast;
  }

  /** Takes a deleted object. @returns whether filters of proxies may follow from it */
  delete(cluster: string, key: ObjectKey, { kind }: MeshObject): boolean {
    if (!DECIDING_KINDS.has(kind)) return false;
    return kind === 'QuotaSpec' ? this.#fast.delete(`${cluster}/${key}`) : this.#fast.size > 0;
  }

  /** Whether any QuotaSpec asks for `fast`. */
  get isEmpty(): boolean {
    return this.#fast.size === 0;
  }
}
