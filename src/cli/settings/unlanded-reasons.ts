/** Why a setting has no effect: one reason per feature, shared by the settings that wait for it. */
export const UNLANDED = {
  agent: 'concerns the proxy agent, which is not part of this process',
  catalog: 'the Catalog registry has not landed yet',
  dns: 'the DNS listener has not landed yet',
  gateways: 'gateways have not landed yet',
  introspection: 'the introspection facility has not landed yet',
  mcp: 'the MCP source has not landed yet',
  metadataExchange: 'stock Envoy does not contain a TCP metadata exchange filter',
  plugins: 'RequestAuthentication and AuthorizationPolicy, for the plugins authn and authz, have not landed yet',
  policyServer: 'was read by a policy server of its own process, which does not exist here',
  profile: 'profiling has not landed yet',
  relationaldb: 'only contrib builds of Envoy contain the relational-database filter',
  routing: 'VirtualServices have not landed yet',
} as const;
