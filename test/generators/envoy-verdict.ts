import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import protobuf from 'protobufjs';
import type { EncodedResource } from '../../src/envoy/encoded-resource.js';
import { frameField, type MessageEncoder } from '../../src/envoy/message-encoder.js';
import { loadProtoRegistry } from '../../src/envoy/proto-registry.js';
import { TypeUrl } from '../../src/envoy/type-urls.js';
import { runCommand } from '../counterparts/command.js';
import { staticSecrets, withStaticSecrets } from './static-secrets.js';

/** All that one proxy is served. */
export interface ServedResources {
  readonly clusters: readonly EncodedResource[];
  readonly listeners: readonly EncodedResource[];
  readonly routes: readonly EncodedResource[];
  /** Configurations of filters that listeners name. */
  readonly filters?: readonly EncodedResource[];
}

const HTTP_CONNECTION_MANAGER =
  'type.googleapis.com/envoy.extensions.filters.network.http_connection_manager.v3.HttpConnectionManager';
const ROUTER = 'type.googleapis.com/envoy.extensions.filters.http.router.v3.Router';
const EXTENSION_CONFIG = loadProtoRegistry().type(TypeUrl.extensionConfig);
const LISTENER = 'type.googleapis.com/envoy.config.listener.v3.Listener';

/** The part of a bootstrap beside static resources: the ADS stream that clusters and listeners refer to. */
const restOfBootstrap = (secrets: readonly object[]): string =>
  JSON.stringify({
    node: { id: 'sidecar~10.0.0.9~client.default~default.svc.cluster.local', cluster: 'client.default' },
    dynamic_resources: {
      ads_config: {
        api_type: 'GRPC',
        transport_api_version: 'V3',
        grpc_services: [{ envoy_grpc: { cluster_name: 'ads' } }],
      },
    },
    static_resources: {
      secrets,
      clusters: [
        {
          name: 'ads',
          connect_timeout: '1s',
          type: 'STATIC',
          typed_extension_protocol_options: {
            'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
              '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
              explicit_http_config: { http2_protocol_options: {} },
            },
          },
        },
      ],
    },
  });

/**
 * Asks a real Envoy whether it would take these very bytes (`--mode validate`), but for where secrets come from. Route
 * tables and filters come in through listeners of their own.
 *
 * @throws Error with Envoy's complaint
 */
export async function validateWithEnvoy(
  binary: string,
  encoder: MessageEncoder,
  { clusters, listeners, routes, filters = [] }: ServedResources,
): Promise<void> {
  const LISTENERS_FIELD = 1;
  const CLUSTERS_FIELD = 2;
  const STATIC_RESOURCES_FIELD = 2;
  const staticResources = Buffer.concat([
    ...listeners.map((each) => frameField(LISTENERS_FIELD, withStaticSecrets(TypeUrl.listener, messageOf(each)))),
    ...routes.map((table, index) => frameField(LISTENERS_FIELD, listenerWith(encoder, table, 20_000 + index))),
    ...filters.map((filter, index) => frameField(LISTENERS_FIELD, listenerWithFilter(encoder, filter, 30_000 + index))),
    ...clusters.map((each) => frameField(CLUSTERS_FIELD, withStaticSecrets(TypeUrl.cluster, messageOf(each)))),
  ]);
  const directory = await mkdtemp(join(tmpdir(), 'envoy-verdict-'));
  try {
    const path = join(directory, 'bootstrap.pb');
    await writeFile(path, frameField(STATIC_RESOURCES_FIELD, staticResources));
    await runCommand([
      binary,
      ...['--mode', 'validate', '-l', 'error', '--concurrency', '1'],
      ...['-c', path, '--config-yaml', restOfBootstrap(staticSecrets())],
    ]);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

/** The message inside a resource entry (see EncodedResource). */
export function messageOf({ entry }: EncodedResource): Buffer {
  const reader = protobuf.Reader.create(entry);
  reader.uint32();
  reader.uint32();
  reader.uint32();
  reader.string();
  reader.uint32();
  return Buffer.from(reader.bytes());
}

interface DecodedFilter {
  readonly name: string;
  readonly typedConfig: { readonly type_url: string };
}

function listenerWithFilter(encoder: MessageEncoder, resource: EncodedResource, port: number): Buffer {
  const filter = EXTENSION_CONFIG.decode(messageOf(resource)) as unknown as DecodedFilter;
  const isNetworkFilter = filter.typedConfig.type_url.includes('.filters.network.');
  const manager = encoder.packAny(HTTP_CONNECTION_MANAGER, {
    statPrefix: 'filter',
    routeConfig: {},
    httpFilters: [
      ...(isNetworkFilter ? [] : [filter]),
      { name: 'envoy.filters.http.router', typedConfig: encoder.packAny(ROUTER, {}) },
    ],
  });
  const last = { name: 'envoy.filters.network.http_connection_manager', typedConfig: manager };
  return encoder.encode(LISTENER, {
    name: `filter ${resource.name}`,
    address: { socketAddress: { address: '127.0.0.1', portValue: port } },
    filterChains: [{ filters: isNetworkFilter ? [filter, last] : [last] }],
  });
}

function listenerWith(encoder: MessageEncoder, table: EncodedResource, port: number): Buffer {
  const ROUTE_CONFIG_FIELD = 4;
  const manager = Buffer.concat([
    encoder.encode(HTTP_CONNECTION_MANAGER, {
      statPrefix: 'table',
      httpFilters: [{ name: 'envoy.filters.http.router', typedConfig: encoder.packAny(ROUTER, {}) }],
    }),
    frameField(ROUTE_CONFIG_FIELD, messageOf(table)),
  ]);
  return encoder.encode(LISTENER, {
    name: `table ${table.name}`,
    address: { socketAddress: { address: '127.0.0.1', portValue: port } },
    filterChains: [
      {
        filters: [
          {
            name: 'envoy.filters.network.http_connection_manager',
            typedConfig: { type_url: HTTP_CONNECTION_MANAGER, value: manager },
          },
        ],
      },
    ],
  });
}
