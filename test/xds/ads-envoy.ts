import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startManagedProcess } from '../counterparts/managed-process.js';
import { eventually } from '../support/eventually.js';

/** A real Envoy on the loopback device that gets its clusters over ADS. */
export interface AdsEnvoy {
  /** The answer of an admin page. */
  admin(path: string): Promise<string>;
  /** Waits until Envoy uses the cluster. */
  usesCluster(name: string): Promise<void>;
  /** A counter or gauge; 0 if Envoy has not made it yet. */
  stat(name: string): Promise<number>;
  stop(): Promise<void>;
}

export async function startAdsEnvoy(binary: string, adsPort: number): Promise<AdsEnvoy> {
  const directory = await mkdtemp(join(tmpdir(), 'ads-envoy-'));
  const adminFile = join(directory, 'admin');
  const program = startManagedProcess({
    name: 'Envoy',
    command: [
      ...[binary, '--config-yaml', JSON.stringify(bootstrapOf(adsPort))],
      ...['--admin-address-path', adminFile, '--concurrency', '1', '--log-level', 'warning', '--disable-hot-restart'],
    ],
  });
  const admin = async (path: string): Promise<string> => {
    const address = (await readFile(adminFile, 'utf8')).trim();
    return (await fetch(`http://${address}${path}`)).text();
  };
  const stop = async (): Promise<void> => {
    await program.stop();
    await rm(directory, { recursive: true, force: true });
  };
  try {
    await eventually('Envoy answers', () =>
      admin('/ready').then(
        () => true,
        () => false,
      ),
    );
  } catch (cause) {
    const said = program.tail();
    await stop();
    throw new Error(`Envoy does not start: ${said}`, { cause });
  }
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
