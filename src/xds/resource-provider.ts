import type { ResourceSet } from '../envoy/resource-set.js';
import type { ResourceGenerator } from '../generators/generator.js';
import type { WithheldPatch } from '../model/patches/withheld-patch.js';
import type { Proxy } from '../model/proxy.js';
import type { DiffCache } from '../push/diff-cache.js';
import type { Distribution } from '../push/distributor.js';
import type { NameSet } from '../push/name-set.js';
import type { PushNotice } from '../push/push-notice.js';
import type { ResponseCache } from '../push/response-cache.js';
import type { Work } from '../push/work.js';

/** Provides the resources of one type to one stream. Protocols and subscriptions know no other source. */
export interface ResourceProvider {
  readonly typeUrl: string;
  /** A request without names asks for everything (`wildcard`) or for nothing (`named`). */
  readonly mode: 'wildcard' | 'named';
  /** The resources belong to this stream alone: debug pages and statuses do not show the subscription. */
  readonly isPrivate: boolean;
  /** Whether a request gets an empty response if none of its names has a resource. */
  readonly answersUnknownNames: boolean;
  /** Whether a response in state of the world has all resources that the client asked for. Default false. */
  readonly isWhole?: boolean;
  /** Whether the resources of one peer are made for one stream after another. Default false. */
  readonly isOrdered?: boolean;
  /** Version of the current resources, `version_info` of a response. */
  readonly version: string;
  /** Version of the configuration that the resources are made from, for the ledger. Empty if it is not tracked. */
  readonly configVersion: string;
  readonly diffs: DiffCache;
  readonly responses: ResponseCache;
  /** Whether a push can have changed the resources of this stream. */
  isAffectedBy(notice: PushNotice): boolean;
  /**
   * Makes the current resources. The result belongs to the state at the first step.
   *
   * @param names undefined for everything; only wildcard types. So is `*`: an on-demand proxy gets the names beside it
   *   and what it needs without asking
   */
  prepare(names: NameSet | undefined): Work<ResourceSet>;
  /** Makes the resources without the patches of EnvoyFilters that the proxy rejected. Left out: it has no patches. */
  withhold?(patches: readonly WithheldPatch[]): void;
}

/** The resources that a generator makes for one proxy. Streams of equal scope share them and their bytes. */
export class GeneratedResources implements ResourceProvider {
  readonly isPrivate = false;
  /** Clients take a missing response for a slow server: gRPC clients wait for 15 seconds. */
  readonly answersUnknownNames = true;
  readonly #distribution: Distribution;
  readonly #generator: ResourceGenerator;
  #proxy: Proxy;

  constructor(distribution: Distribution, generator: ResourceGenerator, proxy: Proxy) {
    this.#distribution = distribution;
    this.#generator = generator;
    this.#proxy = proxy;
  }

  get typeUrl(): string {
    return this.#generator.typeUrl;
  }

  get mode(): 'wildcard' | 'named' {
    return this.#generator.mode === 'wildcard' ? 'wildcard' : 'named';
  }

  get isWhole(): boolean {
    return this.#generator.mode === 'named' && this.#generator.isWhole === true;
  }

  get version(): string {
    return this.#distribution.context?.version ?? '';
  }

  get configVersion(): string {
    return this.#distribution.configVersion;
  }

  get diffs(): DiffCache {
    return this.#distribution.diffs;
  }

  get responses(): ResponseCache {
    return this.#distribution.responses;
  }

  isAffectedBy({ request, concerns }: PushNotice): boolean {
    const { ipAddresses, type } = this.#proxy;
    return ipAddresses.some((address) => request.addresses.has(address)) || concerns(this.#generator, type);
  }

  withhold(withheldPatches: readonly WithheldPatch[]): void {
    this.#proxy = { ...this.#proxy, withheldPatches };
  }

  prepare(names: NameSet | undefined): Work<ResourceSet> {
    return this.#distribution.resources.prepareResources(this.#generator, this.#proxy, names);
  }
}
