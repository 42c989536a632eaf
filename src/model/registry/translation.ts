import type { ServiceEntrySpec } from '../../config/networking/service-entry.js';
import type { MeshObject } from '../../config/object.js';
import type { EntryOffence } from '../entries/entry-offences.js';
import type { NetworkLookup } from './network-lookup.js';

/** The inputs of translation beside the objects; one per cluster. */
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
  /** Root namespace of the mesh config; its ServiceEntries take precedence over those of other namespaces. */
  readonly rootNamespace: string;
  /** The hosts and addresses that a ServiceEntry claims in other namespaces without permission. */
  offencesOf(entry: MeshObject<'ServiceEntry', ServiceEntrySpec>): readonly EntryOffence[];
}
