/** Why a setting has no effect: one reason per feature, shared by the settings that wait for it. */
export const UNLANDED = {
  agent: 'concerns the proxy agent, which is not part of this process',
  catalog: 'the Catalog registry is not implemented yet',
  dns: 'the DNS listener is not implemented yet',
  gateways: 'gateways are not implemented yet',
  introspection: 'the introspection facility is not implemented yet',
  mcp: 'the MCP source is not implemented yet',
  metadataExchange: 'stock Envoy does not contain a TCP metadata exchange filter',
  plugins: 'RequestAuthentication and AuthorizationPolicy, for the plugins authn and authz, are not implemented yet',
  policyServer: 'this policy server has only one expression runtime',
  profile: 'profiling is not implemented yet',
  relationaldb: 'only contrib builds of Envoy contain the relational-database filter',
  routing: 'VirtualServices are not implemented yet',
} as const;
