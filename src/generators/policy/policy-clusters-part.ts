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
  type PolicyServer,
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
import { buildPolicyCluster, type ServerPlace } from './policy-cluster.js';
import { addressOfServer, type ServerAddress, serviceNamesOf } from './policy-server-hosts.js';
import { createPolicyServerTls, type PolicyTlsSettings } from './policy-server-tls.js';
import { createServedLookup } from './served-hosts.js';

export interface PolicyClustersScope extends Scope {
  /** By the name of the cluster. */
  readonly places: ReadonlyMap<string, ServerPlace>;
  /** Names (SNI) of the servers that are called over mutual TLS, by the name of the cluster. */
  readonly secured: ReadonlyMap<string, string>;
}

export type PolicyClusterSettings = PolicyTlsSettings & Pick<GeneratorSettings, 'embeddedPolicyPort'>;

/** A policy server that is gone without a word is noticed after at most their sum. */
const KEEPALIVE_INTERVAL_MS = 10_000;
const KEEPALIVE_TIMEOUT_MS = 5000;

const PROTOCOL_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/**
 * The clusters of the policy servers, as far as they are not services of the proxy's view, which have clusters of
 * these very names already (BEHAVIOUR 5, "Transport").
 *
 * Where discovery is a service of the view, its policy server is found by the instances of that: a proxy that talks to
 * each of them goes on with the others as soon as one of them ends.
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

  /** The assignment of the instances of discovery, where it is theirs that the proxy's name for it leads to. */
  const instancesOf = (context: PushContext, proxy: Proxy, { host, port }: ServerAddress): string | undefined => {
    const { metadata, configNamespace, ipAddresses } = proxy;
    const own = context.clusterOf(undefined);
    // Across clusters, networks and families it is the name that knows the way.
    if (context.clusterOf(metadata.clusterId) !== own || metadata.network) return undefined;
    if (!addressFamiliesOf(ipAddresses).ipv4) return undefined;
    const found = servedBy(context.viewOf(configNamespace), serviceNamesOf(host, context.domain), port);
    // Not whoever writes a ServiceEntry of that name.
    if (found?.registry !== 'Orchestrator' || found.resolution === 'dns') return undefined;
    // In several clusters it is not one service, but each cluster's own.
    if ([...(found.byCluster?.keys() ?? [])].some((cluster) => cluster !== own)) return undefined;
    return clusterOf(destinationOf(found, port));
  };

  /** Undefined for a cluster that the proxy has already. */
  const placeOf = (
    context: PushContext,
    proxy: Proxy,
    cluster: string,
    server: PolicyServer,
  ): ServerPlace | undefined => {
    const address = addressOfServer(server, context.mesh, settings.embeddedPolicyPort());
    const byName = { type: 'address', ...address, ipv6Only: !addressFamiliesOf(proxy.ipAddresses).ipv4 } as const;
    // That one keeps to a single instance, whichever its name leads to.
    if (cluster === AFFINE_REPORT_CLUSTER) return byName;
    if (server.type === 'address') {
      const view = context.viewOf(proxy.configNamespace);
      return servedBy(view, [address.host], address.port) === undefined ? byName : undefined;
    }
    const assignment = instancesOf(context, proxy, address);
    return assignment === undefined ? byName : { type: 'instances', assignment };
  };

  return {
    name: 'policy',
    scope: (context, proxy) => {
      if (proxy.type !== 'sidecar') return undefined;
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
