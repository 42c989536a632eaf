import ipaddr from 'ipaddr.js';
import type { MeshConfig } from '../../config/mesh/mesh-config.js';
import { duration } from '../../envoy/durations.js';
import type { EncodedResource } from '../../envoy/encoded-resource.js';
import type { MessageEncoder } from '../../envoy/message-encoder.js';
import { compareNames } from '../../envoy/resource-set.js';
import { TypeUrl } from '../../envoy/type-urls.js';
import type { Cluster } from '../../generated/envoy/config/cluster/v3/Cluster.js';
import type { HttpProtocolOptions } from '../../generated/envoy/extensions/upstreams/http/v3/HttpProtocolOptions.js';
import {
  AFFINE_REPORT_CLUSTER,
  checkClusterOf,
  checkServerOf,
  type PolicyServer,
  reportClusterOf,
  reportServerOf,
} from '../../model/policy/policy-servers.js';
import type { ServiceView } from '../../model/push-context.js';
import { addressFamiliesOf } from '../address-families.js';
import { buildClusterBase } from '../clusters/cluster-defaults.js';
import { buildLoadAssignment } from '../endpoints/load-assignment.js';
import type { ResourcePart, Scope } from '../generator.js';
import { createIdentityMemo } from '../identity-memo.js';
import type { GeneratorSettings } from '../settings.js';
import { addressOfServer } from './policy-server-hosts.js';

export interface PolicyClustersScope extends Scope {
  readonly check: boolean;
  readonly report: boolean;
  readonly ipv6Only: boolean;
}

/** A policy server that is gone without a word is noticed after at most their sum. */
const KEEPALIVE_INTERVAL_MS = 10_000;
const KEEPALIVE_TIMEOUT_MS = 5000;

const PROTOCOL_OPTIONS = 'envoy.extensions.upstreams.http.v3.HttpProtocolOptions';

/**
 * The clusters of the policy servers, as far as they are not services of the proxy's view, which have clusters of
 * these very names already (BEHAVIOUR 5, "Transport").
 */
export function createPolicyClustersPart(
  encoder: MessageEncoder,
  settings: Pick<GeneratorSettings, 'embeddedPolicyPort'>,
): ResourcePart<PolicyClustersScope> {
  const memo = createIdentityMemo<readonly EncodedResource[]>();
  const isServedBy = createServedLookup();
  const protocolOptions: HttpProtocolOptions = {
    explicitHttpConfig: {
      http2ProtocolOptions: {
        connectionKeepalive: { interval: duration(KEEPALIVE_INTERVAL_MS), timeout: duration(KEEPALIVE_TIMEOUT_MS) },
      },
    },
  };
  const http2 = { [PROTOCOL_OPTIONS]: encoder.packAny(`type.googleapis.com/${PROTOCOL_OPTIONS}`, protocolOptions) };

  const build = (mesh: MeshConfig, name: string, server: PolicyServer, ipv6Only: boolean): EncodedResource => {
    const { host, port } = addressOfServer(server, mesh, settings.embeddedPolicyPort());
    const target = { address: host, port, health: 'healthy', locality: '', network: '', weight: 1 } as const;
    const cluster: Cluster = {
      ...buildClusterBase(name, mesh.connectTimeoutMs),
      ...(ipaddr.isValid(host)
        ? { type: 'STATIC' }
        : {
            type: 'STRICT_DNS',
            dnsLookupFamily: ipv6Only ? 'V6_ONLY' : 'V4_ONLY',
            dnsRefreshRate: duration(mesh.dnsRefreshRateMs),
            respectDnsTtl: true,
          }),
      loadAssignment: buildLoadAssignment(name, [{ ...target, tlsMode: 'disabled' }]),
      commonLbConfig: { healthyPanicThreshold: {} },
      typedExtensionProtocolOptions: http2,
    };
    return encoder.encodeResource(TypeUrl.cluster, name, cluster);
  };

  return {
    name: 'policy',
    scope: ({ mesh, viewOf }, { type, configNamespace, ipAddresses }) => {
      const [checkServer, reportServer] = [checkServerOf(mesh), reportServerOf(mesh)];
      if (type !== 'sidecar' || (checkServer === undefined && reportServer === undefined)) return undefined;
      const view = viewOf(configNamespace);
      const isMissing = (server: PolicyServer | undefined): boolean =>
        server !== undefined && (server.type === 'embedded' || !isServedBy(view, server.host, server.port));
      const check = isMissing(checkServer);
      const report = isMissing(reportServer) || reportClusterOf(mesh.policy) === AFFINE_REPORT_CLUSTER;
      const ipv6Only = !addressFamiliesOf(ipAddresses).ipv4;
      return {
        key: `${check ? 'check' : ''}|${report ? 'report' : ''}|${ipv6Only ? '6' : ''}`,
        check,
        report,
        ipv6Only,
      };
    },
    generate: ({ mesh }, { key, check, report, ipv6Only }) => ({
      resources: memo.remember(mesh, mesh, key, () => {
        const servers = new Map<string, PolicyServer | undefined>();
        if (check) servers.set(checkClusterOf(mesh.policy), checkServerOf(mesh));
        if (report) servers.set(reportClusterOf(mesh.policy), reportServerOf(mesh));
        return [...servers]
          .flatMap(([name, server]) => (server === undefined ? [] : [build(mesh, name, server, ipv6Only)]))
          .sort(compareNames);
      }),
      findings: [],
    }),
  };
}

/** Whether a view has a cluster for a host and port; looked up once for as long as the view lives. */
function createServedLookup(): (view: ServiceView, host: string, port: number) => boolean {
  const known = new WeakMap<ServiceView, Map<string, boolean>>();
  return (view, host, port) => {
    let byAddress = known.get(view);
    if (byAddress === undefined) {
      byAddress = new Map();
      known.set(view, byAddress);
    }
    const address = `${host}:${port}`;
    let served = byAddress.get(address);
    if (served === undefined) {
      served = view.services.some(
        ({ hostname, ports }) =>
          hostname === host && ports.some(({ number, protocol }) => number === port && protocol !== 'udp'),
      );
      byAddress.set(address, served);
    }
    return served;
  };
}
