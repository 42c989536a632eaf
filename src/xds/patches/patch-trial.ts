import type { WithheldPatch } from '../../model/patches/withheld-patch.js';
import { blamedPatches, commonUses, type PatchUses, type RejectedResponse } from './blamed-patches.js';

/** Withheld patches of one proxy and one type. A rejection that would withhold more changes nothing. */
export const MAX_WITHHELD_PATCHES = 500;
/** A patch that is rejected in more resources is withheld from all resources of the type. */
const MAX_RESOURCES = 32;
/** After this time a patch is tried again, with the next change: another object may have been the cause. */
const RETRY_MS = 10 * 60 * 1000;

/** The effect of an answer of the proxy on the withheld patches. `full`: too many patches would be withheld. */
export type TrialStep = 'unchanged' | 'changed' | 'full';

interface Entry {
  readonly resources: Set<string>;
  readonly reason: string;
  readonly sinceMs: number;
}

/**
 * Finds the patches that one proxy rejects in its resources of one type. It withholds the patches of the rejected
 * resources, so that the proxy gets a valid response at once. When the proxy has accepted that response, it tries the
 * withheld patches again, half of them at a time, until only those are withheld that the proxy rejects.
 */
export class PatchTrial {
  readonly #withheld = new Map<string, Entry>();
  /** Withheld patches that are tried again, one group after the other. */
  #groups: PatchUses[] = [];
  /** The group that the newest response has again. */
  #tried: PatchUses = new Map();
  /** Withheld since the proxy accepted a response. */
  #sinceAccepted: PatchUses = new Map();
  #rejectedHash = '';
  /** Hash of resources that the proxy rejects with and without the patches. */
  #blamelessHash = '';

  /** The ids of the patches that the newest rejection added. */
  newest: readonly string[] = [];

  /** In the order in which they were withheld. */
  get withheld(): readonly WithheldPatch[] {
    const isSuspect = (id: string): boolean => this.#groups.some((group) => group.has(id));
    return Array.from(this.#withheld, ([id, entry]) => ({
      id,
      resources: entry.resources.size > MAX_RESOURCES ? undefined : new Set(entry.resources),
      reason: isSuspect(id) ? undefined : entry.reason,
    }));
  }

  /** @param reason the text that the EnvoyFilters show */
  rejected(response: RejectedResponse, reason: string, nowMs: number): TrialStep {
    this.newest = [];
    const { applied, added } = blamedPatches(response);
    if (applied.size === 0) return this.#acquit();
    const { hash } = response.set;
    if (hash === this.#blamelessHash) return 'unchanged';
    const tried = commonUses(this.#tried, applied);
    const suspects = tried.size > 0 ? tried : added.size > 0 ? added : applied;
    this.newest = [...suspects.keys()];
    const isKnown = (id: string): boolean => this.#withheld.has(id);
    const more = [...suspects.keys()].filter((id) => !isKnown(id)).length;
    if (this.#withheld.size + more > MAX_WITHHELD_PATCHES) return 'full';
    this.#rejectedHash = hash;
    for (const id of suspects.keys()) this.#tried.delete(id);
    for (const [id, names] of suspects) this.#withhold(id, names, reason, nowMs);
    if (suspects.size > 1) this.#groups.unshift(...halvesOf(suspects));
    return 'changed';
  }

  /** The proxy has accepted the newest response, or has all resources and needs none. */
  accepted(nowMs: number): TrialStep {
    if (this.#withheld.size === 0) return 'unchanged';
    this.#sinceAccepted.clear();
    this.#blamelessHash = '';
    this.#tried = this.#groups.shift() ?? this.#dueAt(nowMs);
    if (this.#tried.size === 0) return 'unchanged';
    this.#release(this.#tried);
    return 'changed';
  }

  /** The proxy rejects the resources without patches too: the patches are not the cause. */
  #acquit(): TrialStep {
    if (this.#sinceAccepted.size === 0) return 'unchanged';
    const acquitted = this.#sinceAccepted;
    this.#release(acquitted);
    this.#sinceAccepted = new Map();
    this.#groups = this.#groups
      .map((group): PatchUses => new Map([...group].filter(([id]) => !acquitted.has(id))))
      .filter(({ size }) => size > 0);
    this.#blamelessHash = this.#rejectedHash;
    return 'changed';
  }

  #withhold(id: string, names: ReadonlySet<string>, reason: string, sinceMs: number): void {
    const resources = new Set(this.#withheld.get(id)?.resources);
    const since = this.#sinceAccepted.get(id) ?? new Set<string>();
    for (const name of names) {
      if (resources.size > MAX_RESOURCES) break;
      resources.add(name);
      since.add(name);
    }
    this.#withheld.set(id, { resources, reason, sinceMs });
    this.#sinceAccepted.set(id, since);
  }

  #release(uses: PatchUses): void {
    for (const [id, names] of uses) {
      const entry = this.#withheld.get(id);
      if (entry === undefined) continue;
      const isEverywhere = entry.resources.size > MAX_RESOURCES;
      for (const name of names) entry.resources.delete(name);
      if (isEverywhere || entry.resources.size === 0) this.#withheld.delete(id);
    }
  }

  #dueAt(nowMs: number): PatchUses {
    const due: PatchUses = new Map();
    for (const [id, { resources, sinceMs }] of this.#withheld) {
      if (nowMs - sinceMs >= RETRY_MS) due.set(id, new Set(resources));
    }
    return due;
  }
}

function halvesOf(uses: PatchUses): readonly PatchUses[] {
  const all = [...uses];
  const middle = Math.ceil(all.length / 2);
  return [new Map(all.slice(0, middle)), new Map(all.slice(middle))];
}
