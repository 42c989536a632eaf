import type { AddressRange } from '../../base/address-range.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';

/** A cluster IP, and the Service that has it. */
export interface ClusterAddress {
  readonly address: string;
  readonly namespace: string;
  readonly service: string;
}

/** What of the mesh decides how far a ServiceEntry acts. */
export interface EntryGuard extends Pick<MeshConfig, 'rootNamespace' | 'serviceEntryScope' | 'defaultServiceExportTo'> {
  /** DNS suffix of the cluster, for example `cluster.local`. */
  readonly domain: string;
  isNamespace(name: string): boolean;
  isService(name: string, namespace: string): boolean;
  /** A cluster IP in the range that a Service of another namespace has. */
  foreignAddressIn(range: AddressRange, namespace: string): ClusterAddress | undefined;
}
