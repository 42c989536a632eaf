import protobuf from 'protobufjs';

/** Tags (field number and wire type 2) of DeltaDiscoveryRequest, and of an entry of its versions. */
const TAG = { subscribe: 0x1a, versions: 0x2a, name: 0x0a, version: 0x12 } as const;

/** A resource in one version, and its encoded entry of `initial_resource_versions`. */
export interface VersionEntry {
  readonly name: string;
  readonly version: string;
  readonly encoded: Uint8Array;
}

/**
 * The resources that the clients of one worker have. Clients share them and their bytes: thousands of clients would
 * need gigabytes otherwise, and seconds to encode what they have.
 */
export class VersionEntries {
  readonly #entries = new Map<string, VersionEntry[]>();
  readonly #names = new Map<string, Uint8Array>();

  entryOf(name: string, version: string): VersionEntry {
    const known = this.#entries.get(name) ?? [];
    const same = known.find((entry) => entry.version === version);
    if (same !== undefined) return same;
    const writer = protobuf.Writer.create().uint32(TAG.versions).fork();
    const encoded = writer.uint32(TAG.name).string(name).uint32(TAG.version).string(version).ldelim().finish();
    const entry = { name, version, encoded };
    this.#entries.set(name, [...known, entry]);
    return entry;
  }

  /** The name as a `resource_names_subscribe` field. */
  subscribeField(name: string): Uint8Array {
    const encoded = this.#names.get(name) ?? protobuf.Writer.create().uint32(TAG.subscribe).string(name).finish();
    this.#names.set(name, encoded);
    return encoded;
  }
}

/**
 * Puts fields into another order. Each Envoy encodes its versions in an order of its own, so that no two requests have
 * the same bytes.
 *
 * @param seed the same seed gives the same order
 */
export function shuffled<Field>(fields: readonly Field[], seed: number): readonly Field[] {
  const result = [...fields];
  let state = (seed * 2_654_435_761 + 1) >>> 0;
  for (let index = result.length - 1; index > 0; index -= 1) {
    // A linear congruential generator (Numerical Recipes): its high bits are random enough.
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const other = Math.floor((state / 2 ** 32) * (index + 1));
    const field = result[index] as Field;
    result[index] = result[other] as Field;
    result[other] = field;
  }
  return result;
}
