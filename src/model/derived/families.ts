import type { DerivedFamily } from './derivation.js';
import { createIngressFamily } from './ingress/ingress-family.js';

/** Settings of the families, fixed for the life of the process. */
export interface DerivedSettings {
  /** DNS suffix of the cluster, `--domain`. */
  readonly domain: string;
  /** The mesh domain `D` of annotations and controller names. */
  readonly meshDomain: string;
  /** ORCH_INGRESS_NS: namespace of the Gateways that Ingresses give. Default: the root namespace. */
  readonly ingressNamespace?: string | undefined;
}

/** One line for each family. */
export function createDerivedFamilies(settings: DerivedSettings): readonly DerivedFamily[] {
  return [createIngressFamily(settings)];
}
