/** Rows of the specification without an effect, each with the reason. A row leaves this list with its test. */
export const GAPS: Readonly<Record<string, string>> = {
  catalogserverURL: 'issue 17: the Catalog registry',
  mcpInitialConnWindowSize: 'issue 17: the MCP source',
  mcpInitialWindowSize: 'issue 17: the MCP source',
  mcpMaxMsgSize: 'issue 17: the MCP source',
  NAV_ENABLE_INCREMENTAL_MCP: 'issue 17: the MCP source',
  mcp: 'issue 17: the MCP source',

  // Without an issue that ends them: the start-up log and docs/configuration.md give the same reasons.
  INGRESS_GATEWAY_NAMESPACE: 'a proxy agent reads it. Stock Envoy gets gateway credentials over SDS',
  SECRET_WATCHER_RESYNC_PERIOD: 'a proxy agent reads it. Stock Envoy gets gateway credentials over SDS',
  NAV_ENABLE_TCP_METADATA_EXCHANGE:
    'stock Envoy does not contain the filter. Certificates identify the peers of a connection',
};

/** Prefixes of metrics whose source does not exist yet. */
export const METRIC_GAPS: Readonly<Record<string, string>> = {
  mesh_mcp_: 'issue 17: the MCP source',
};
