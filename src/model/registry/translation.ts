import type { NetworkLookup } from './network-lookup.js';

/** What translation reads beside the objects themselves; one per cluster. */
export interface Translation {
  readonly cluster: string;
  /** DNS suffix of services, for example `cluster.local`. */
  readonly domain: string;
  /** The mesh domain `D` of labels and annotations. */
  readonly meshDomain: string;
  readonly trustDomain: string;
  readonly defaultServiceExportTo: readonly string[];
  readonly edsForHeadlessServices: boolean;
  readonly networkOf: NetworkLookup;
}
