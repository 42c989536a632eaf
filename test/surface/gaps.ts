/** Rows of the specification without an effect, each with the reason. A row leaves this list with its test. */
export const GAPS: Readonly<Record<string, string>> = {
  catalogserverURL: 'issue 17: the Catalog registry',
  mcpInitialConnWindowSize: 'issue 17: the MCP source',
  mcpInitialWindowSize: 'issue 17: the MCP source',
  mcpMaxMsgSize: 'issue 17: the MCP source',
  NAV_ENABLE_INCREMENTAL_MCP: 'issue 17: the MCP source',
  mcp: 'issue 17: the MCP source',

  INGRESS_GATEWAY_NAMESPACE: 'it configures a proxy agent, which the mesh does not have',
  SECRET_WATCHER_RESYNC_PERIOD: 'it configures a proxy agent, which the mesh does not have',
  NAV_ENABLED_SERVICE_APIS: 'the Gateway API of Kubernetes is not implemented',
  NAV_ENABLE_TCP_METADATA_EXCHANGE: 'stock Envoy does not contain the filter',
  ORCH_INGRESS_NS: 'Ingress of Kubernetes is not implemented',
};

/** Prefixes of metrics whose source does not exist yet. */
export const METRIC_GAPS: Readonly<Record<string, string>> = {
  mesh_mcp_: 'issue 17: the MCP source',
  policy_: 'issue 17: handlers, instances and rules of the policy runtime',
};
