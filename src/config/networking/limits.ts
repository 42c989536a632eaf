/**
 * Bounds of the networking kinds: they keep what one object costs within reason, whoever writes it, and are beyond what
 * the rules allow anyway where there are rules.
 */
export const NETWORKING_LIMITS = {
  /** Hosts, addresses and ports of a service. */
  perService: 256,
  /** Workloads in one entry. */
  endpoints: 10_000,
  /** Labels of a workload or selector, and its ports. */
  perWorkload: 256,
  /** Namespaces that a service is exported to, and names in its certificates. */
  names: 1000,
  /** Characters of a name, an address or a label. */
  textLength: 1024,
} as const;
