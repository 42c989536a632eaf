import { duration } from '../../envoy/durations.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { compareNames } from '../../envoy/resource-set.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { HttpProtocolOptions } from '../../generated/envoy/extensions/upstreams/http/v3/HttpProtocolOptions.js';
import { createMemo } from '../../model/memo.js';
import {
  AFFINE_REPORT_CLUSTER,
  checkClusterOf,
  checkServerOf,
  type PolicyServerTarget,
  reportClusterOf,
  reportServerOf,
} from '../../model/policy/policy-servers.js';
import type { Proxy } from '../../model/proxy.js';
import type { PushContext } from '../../model/push-context.js';
import { destinationOf } from '../../model/traffic/destination.js';
import { addressFamiliesOf } from '../address-families.js';
import { clusterOf } from '../destination-names.js';
import type { ResourcePart, Scope } from '../generator.js';
import type { GeneratorSettings } from '../settings.js';
import {
  buildPolicyCluster,
  createPolicyServerTls,
  type PolicyTlsSettings,
  type ServerPlace,
} from './policy-cluster.js';
import { addressOfServer, createServedLookup, type ServerAddress, serviceNamesOf } from './policy-server-hosts.js';

export interface PolicyClustersScope extends Scope {
  /** By the name of the cluster. */
  readonly places: ReadonlyMap<string, ServerPlace>;
  /** Server names (SNI) of the servers with mutual TLS, by the name of the cluster. */
  readonly secured: ReadonlyMap<string, string>;
}

export type PolicyClusterSettings = PolicyTlsSettings & Pick<GeneratorSettings, 'embeddedPolicyPort'>;

/** The proxy notices a connection without its other end after at most the sum of both. */
const KEEPALIVE_INTERVAL_MS = 10_000;
const KEEPALIVE_TIMEOUT_MS = 5000;

const PROTOCOL_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/**
 * The clusters of policy servers that are not services of the proxy's view. Services of the view have clusters of the
 * same names already.
 *
 * Where discovery is a service of the view, the cluster has the instances of that service. A proxy that is connected to
 * all instances continues with the others as soon as one of them stops.
 */
export function createPolicyClustersPart(
  encoder: MessageEncoder,
  settings: PolicyClusterSettings,
): ResourcePart<PolicyClustersScope> {
  const memo = createMemo<readonly EncodedResource[]>();
  const servedBy = createServedLookup();
  const tlsOf = createPolicyServerTls(encoder, settings);
  const protocolOptions: HttpProtocolOptions = {
    explicitHttpConfig: {
      http2ProtocolOptions: {
        connectionKeepalive: { interval: duration(KEEPALIVE_INTERVAL_MS), timeout: duration(KEEPALIVE_TIMEOUT_MS) },
      },
    },
  };
  const http2 = { [PROTOCOL_OPTIONS]: encoder.packAny(`type.googleapis.com/${PROTOCOL_OPTIONS}`, protocolOptions) };

  /** The assignment with the instances of discovery; undefined where the host does not lead to the service itself. */
  const instancesOf = (context: PushContext, proxy: Proxy, { host, port }: ServerAddress): string | undefined => {
    const { metadata, ipAddresses } = proxy;
    const own = context.clusterOf(undefined);
    // Between clusters, networks and address families only the name leads to a reachable address.
    if (context.clusterOf(metadata.clusterId) !== own || metadata.network) return undefined;
    if (!addressFamiliesOf(ipAddresses).ipv4) return undefined;
    const found = servedBy(context.trafficOf(proxy).inAnyCluster.services, serviceNamesOf(host, context.domain), port);
    // A ServiceEntry of that name must not replace discovery.
    if (found?.registry !== 'Orchestrator' || found.resolution === 'dns') return undefined;
    // A service in several clusters is a separate discovery service in each of them.
    if ([...(found.byCluster?.keys() ?? [])].some((cluster) => cluster !== own)) return undefined;
    return clusterOf(destinationOf(found, port));
  };

  /** Undefined for a cluster that the proxy has already. */
  const placeOf = (
    context: PushContext,
    proxy: Proxy,
    cluster: string,
    server: PolicyServerTarget,
  ): ServerPlace | undefined => {
    const address = addressOfServer(server, context.mesh, settings.embeddedPolicyPort());
    const byName = { type: 'address', ...address, ipv6Only: !addressFamiliesOf(proxy.ipAddresses).ipv4 } as const;
    // This cluster uses the single instance that its name leads to.
    if (cluster === AFFINE_REPORT_CLUSTER) return byName;
    if (server.type === 'address') {
      const view = context.trafficOf(proxy).inAnyCluster.services;
      return servedBy(view, [address.host], address.port) === undefined ? byName : undefined;
    }
    const assignment = instancesOf(context, proxy, address);
    return assignment === undefined ? byName : { type: 'instances', assignment };
  };

  return {
    name: 'policy',
    scope: (context, proxy) => {
      const { mesh } = context;
      const servers = [
        [checkClusterOf(mesh.policy), checkServerOf(mesh)],
        [reportClusterOf(mesh.policy), reportServerOf(mesh)],
      ] as const;
      const places = new Map<string, ServerPlace>();
      const secured = new Map<string, string>();
      for (const [name, server] of servers) {
        const place = server === undefined ? undefined : placeOf(context, proxy, name, server);
        if (place === undefined) continue;
        places.set(name, place);
        if (server?.type === 'embedded' && proxy.hasSecrets && settings.policyServerIdentity !== undefined) {
          secured.set(name, addressOfServer(server, mesh, settings.embeddedPolicyPort()).host);
        }
      }
      return places.size === 0 ? undefined : { key: JSON.stringify([[...places], [...secured]]), places, secured };
    },
    generate: ({ mesh }, { key, places, secured }) => ({
      resources: memo.of([mesh], key, () =>
        [...places]
          .map(([name, place]) => {
            const cluster = buildPolicyCluster(name, place, mesh, settings, tlsOf(mesh, secured.get(name)));
            const message = { ...cluster, typedExtensionProtocolOptions: http2 };
            const resource = encoder.encodeResource(TypeUrl.cluster, name, message);
            return place.type === 'instances' ? { ...resource, assignment: place.assignment } : resource;
          })
          .sort(compareNames),
      ),
      findings: [],
    }),
  };
}
