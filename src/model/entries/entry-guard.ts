import type { AddressRange } from '../../base/address-range.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';

/** A cluster IP and its Service. */
export interface ClusterAddress {
  readonly address: string;
  readonly namespace: string;
  readonly service: string;
}

/** The facts about the mesh that decide which namespaces a ServiceEntry affects. */
export interface EntryGuard extends Pick<MeshConfig, 'rootNamespace' | 'serviceEntryScope' | 'defaultServiceExportTo'> {
  /** DNS suffix of the cluster, for example `cluster.local`. */
  readonly domain: string;
  isNamespace(name: string): boolean;
  isService(name: string, namespace: string): boolean;
  /** A cluster IP in the range whose Service is in another namespace. */
  foreignAddressIn(range: AddressRange, namespace: string): ClusterAddress | undefined;
}
