import { counter, gauge } from './family.js';

/** Families of the process as a whole (docs/reference/metrics.md). */
export const processFamilies = {
  mesh_build: gauge('Component build info.', 'component', 'tag'),
  scrape_failures_total: counter('Failed scrapes.', 'type'),
  scrapes_total: counter('Total scrapes.'),
  nav_info: gauge('Version of this process.', 'version'),
  grpc_server_started_total: counter('gRPC calls started on the server.', 'grpc_type', 'grpc_service', 'grpc_method'),
  grpc_server_handled_total: counter(
    'gRPC calls ended on the server, by status code.',
    'grpc_type',
    'grpc_service',
    'grpc_method',
    'grpc_code',
  ),
  grpc_server_msg_received_total: counter(
    'gRPC stream messages received on the server.',
    'grpc_type',
    'grpc_service',
    'grpc_method',
  ),
  grpc_server_msg_sent_total: counter(
    'gRPC stream messages sent by the server.',
    'grpc_type',
    'grpc_service',
    'grpc_method',
  ),
} as const;
