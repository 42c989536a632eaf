import { counter, gauge } from './family.js';

/** Families of a policy server that gets its configuration from a discovery server. */
export const policyDiscoveryFamilies = {
  policy_discovery_connected: gauge('1 while the policy server is connected to the discovery server, else 0.'),
  policy_discovery_services: gauge('Services whose policies are in force.'),
  policy_discovery_updates_total: counter('Configurations that the discovery server sent.', 'result'),
  policy_discovery_version: gauge('Always 1; the label is the version of the configuration in force.', 'version'),
} as const;
