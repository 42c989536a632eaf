import { MESSAGE_BYTES } from './buckets.js';
import { counter, gauge, histogram } from './family.js';

/** Families of the MCP source, which does not exist yet. */
export const mcpFamilies = {
  mesh_mcp_clients_total: gauge('Streams currently connected.', 'component'),
  mesh_mcp_message_sizes_bytes: histogram(
    'Size of messages received from clients.',
    MESSAGE_BYTES,
    'component',
    'collection',
  ),
  mesh_mcp_reconnections: counter('Sink reconnections.', 'component'),
  mesh_mcp_recv_failures_total: counter('Receive failures in the source.', 'component', 'code', 'error'),
  mesh_mcp_request_acks_total: counter('Request acks received by the source.', 'component', 'collection'),
  mesh_mcp_request_nacks_total: counter('Request nacks received by the source.', 'component', 'collection', 'code'),
  mesh_mcp_send_failures_total: counter('Send failures in the source.', 'component', 'code', 'error'),
} as const;
