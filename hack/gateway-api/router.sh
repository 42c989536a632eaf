#!/bin/sh
# The container of the router: Envoy, with a bootstrap for the control plane at NODE:15010. Run by conformance.sh.
set -eu
ADDRESS=$(ip -4 -o addr show | awk '$2 != "lo" { split($4, a, "/"); print a[1]; exit }')
exec "$ENVOY" --log-level warn --config-yaml "
node:
  id: router~$ADDRESS~router.mesh-system~mesh-system.svc.cluster.local
  cluster: router
  metadata: {NAMESPACE: mesh-system, LABELS: {app: router}, INSTANCE_IPS: $ADDRESS}
dynamic_resources:
  ads_config: {api_type: GRPC, transport_api_version: V3, grpc_services: [{envoy_grpc: {cluster_name: xds}}]}
  cds_config: {ads: {}, resource_api_version: V3}
  lds_config: {ads: {}, resource_api_version: V3}
static_resources:
  clusters:
    - name: xds
      connect_timeout: 2s
      type: STATIC
      typed_extension_protocol_options:
        envoy.extensions.upstreams.http.v3.HttpProtocolOptions:
          '@type': type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions
          explicit_http_config: {http2_protocol_options: {}}
      load_assignment:
        cluster_name: xds
        endpoints: [{lb_endpoints: [{endpoint: {address: {socket_address: {address: $NODE, port_value: 15010}}}}]}]
"
