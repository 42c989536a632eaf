import { type LoopbackEnvoy, startLoopbackEnvoy } from '../counterparts/loopback-envoy.js';
import { eventually } from '../support/eventually.js';

/** A real Envoy on the loopback device that gets its clusters over ADS. */
export interface AdsEnvoy extends Pick<LoopbackEnvoy, 'admin' | 'stop'> {
  /** Waits until Envoy uses the cluster. */
  usesCluster(name: string): Promise<void>;
  /** A counter or gauge; 0 if Envoy has not made it yet. */
  stat(name: string): Promise<number>;
}

export async function startAdsEnvoy(binary: string, adsPort: number): Promise<AdsEnvoy> {
  const { admin, stop } = await startLoopbackEnvoy({ binary, bootstrap: bootstrapOf(adsPort) });
  return {
    admin,
    stop,
    usesCluster: async (name) => {
      await eventually(`Envoy uses the cluster ${name}`, async () => (await admin('/clusters')).includes(`${name}::`));
    },
    stat: async (name) => {
      const line = (await admin('/stats')).split('\n').find((each) => each.startsWith(`${name}: `));
      return line === undefined ? 0 : Number(line.slice(name.length + 2));
    },
  };
}

function bootstrapOf(adsPort: number): object {
  const fromAds = { ads: {}, resource_api_version: 'V3', initial_fetch_timeout: '0s' };
  return {
    node: { id: 'sidecar~10.0.0.1~pod.ns~ns.svc.cluster.local', cluster: 'pod.ns' },
    admin: { address: { socket_address: { address: '127.0.0.1', port_value: 0 } } },
    dynamic_resources: {
      ads_config: {
        api_type: 'GRPC',
        transport_api_version: 'V3',
        grpc_services: [{ envoy_grpc: { cluster_name: 'xds-grpc' } }],
      },
      cds_config: fromAds,
    },
    static_resources: {
      clusters: [
        {
          name: 'xds-grpc',
          type: 'STATIC',
          connect_timeout: '5s',
          typed_extension_protocol_options: {
            'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
              '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
              explicit_http_config: { http2_protocol_options: {} },
            },
          },
          load_assignment: {
            cluster_name: 'xds-grpc',
            endpoints: [
              {
                lb_endpoints: [
                  { endpoint: { address: { socket_address: { address: '127.0.0.1', port_value: adsPort } } } },
                ],
              },
            ],
          },
        },
      ],
    },
  };
}
