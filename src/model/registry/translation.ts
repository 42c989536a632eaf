import type { ServiceEntrySpec } from '../../config/networking/service-entry.js';
import type { MeshObject } from '../../config/object.js';
import type { EntryOffence } from '../entries/entry-offences.js';
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
  /** Of the mesh config: its ServiceEntries come before those of other namespaces. */
  readonly rootNamespace: string;
  /** What a ServiceEntry claims in other namespaces without being allowed to. */
  offencesOf(entry: MeshObject<'ServiceEntry', ServiceEntrySpec>): readonly EntryOffence[];
}
