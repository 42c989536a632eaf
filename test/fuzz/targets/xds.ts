import fc from 'fast-check';
import { inOneStep } from '../../../src/base/steps.js';
import { parseOutboundClusterName } from '../../../src/envoy/names.js';
import { loadProtoRegistry } from '../../../src/envoy/proto-registry.js';
import { EMPTY_RESOURCE_SET } from '../../../src/envoy/resource-set.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { parsePolicyFilterName } from '../../../src/generators/policy/filter-names.js';
import { parseRouteName } from '../../../src/generators/routes/route-table.js';
import { parseNode } from '../../../src/model/parse-node.js';
import { readClientStatusRequest } from '../../../src/xds/client-status/client-status-request.js';
import { createClaimReader } from '../../../src/xds/delta/claimed-resources.js';
import { readAnswer, readDeltaRequest } from '../../../src/xds/delta/delta-request-wire.js';
import { readLoadReport } from '../../../src/xds/load-reports/load-report-wire.js';
import { readNode } from '../../../src/xds/node-wire.js';
import { createProxyReader } from '../../../src/xds/proxy-reader.js';
import { readDiscoveryRequest, readResourceNames } from '../../../src/xds/request-wire.js';
import { readRestRequest } from '../../../src/xds/rest/rest-request.js';
import { mutated } from '../../support/arbitrary-octets.js';
import { type FuzzTarget, fuzzTarget } from '../fuzz-target.js';

const registry = loadProtoRegistry();
const claims = createClaimReader();

function encode(name: string, message: object): Buffer {
  const type = registry.type(name);
  return Buffer.from(type.encode(type.fromObject(message)).finish());
}

const NODE = {
  id: 'sidecar~10.244.0.5~web-1.shop~shop.svc.cluster.local',
  cluster: 'web',
  locality: { region: 'r', zone: 'z' },
  metadata: {
    fields: {
      NAMESPACE: { stringValue: 'shop' },
      INSTANCE_IPS: { stringValue: '10.244.0.5,fd00::5' },
      LABELS: { structValue: { fields: { app: { stringValue: 'web' } } } },
    },
  },
  userAgentVersionBuildInfo: { version: { majorNumber: 1, minorNumber: 2 } },
};
const JSON_NODE = {
  id: NODE.id,
  metadata: { NAMESPACE: 'shop', LABELS: { app: 'web' } },
  locality: { region: 'r', zone: 'z' },
  user_agent_build_version: { version: { major_number: 1 } },
};
const node = encode('envoy.config.core.v3.Node', NODE);
const request = encode('envoy.service.discovery.v3.DiscoveryRequest', {
  versionInfo: '7',
  resourceNames: ['outbound|80||web.shop.svc.cluster.local', 'a', 'b'],
  typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  responseNonce: 'n',
  errorDetail: { code: 3, message: 'no' },
  node: NODE,
});
const deltaRequest = encode('envoy.service.discovery.v3.DeltaDiscoveryRequest', {
  typeUrl: 'type.googleapis.com/envoy.config.cluster.v3.Cluster',
  resourceNamesSubscribe: ['*', 'a'],
  resourceNamesUnsubscribe: ['b'],
  initialResourceVersions: { 'outbound|80||web.shop.svc.cluster.local': 'v1', a: 'v2' },
  responseNonce: 'n',
  errorDetail: { code: 3, message: 'no' },
  node: NODE,
});
const loadReport = encode('envoy.service.load_stats.v3.LoadStatsRequest', {
  node: NODE,
  clusterStats: [
    {
      clusterName: 'outbound|80||web.shop.svc.cluster.local',
      upstreamLocalityStats: [{ locality: { region: 'r', zone: 'z' }, totalIssuedRequests: 7 }],
      droppedRequests: [{ category: 'a', droppedCount: 1 }],
    },
  ],
});
const statusRequest = encode('envoy.service.status.v3.ClientStatusRequest', {
  nodeMatchers: [
    {
      nodeId: { prefix: 'sidecar', ignoreCase: true },
      nodeMetadatas: [{ path: [{ key: 'NAMESPACE' }], value: { stringMatch: { exact: 'shop' } } }],
    },
  ],
  excludeResourceContents: true,
});
const bytesLike = (valid: Buffer) =>
  fc.oneof(
    { weight: 4, arbitrary: mutated(valid) },
    fc.uint8Array({ maxLength: 200 }).map((each) => Buffer.from(each)),
  );

const readProxy = createProxyReader(readNode, 'mesh.internal', 524_288);

const nodeId = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 3000 }),
  fc
    .tuple(
      fc.constantFrom('sidecar', 'router', ''),
      fc.oneof(fc.ipV4(), fc.ipV6(), fc.string()),
      fc.string(),
      fc.string(),
    )
    .map((parts) => parts.join('~')),
);
const metadataKey = fc.constantFrom(
  ...['LABELS', 'INSTANCE_IPS', 'NAMESPACE', 'INTERCEPTION_MODE', 'IDLE_TIMEOUT', 'HTTP10', 'REQUESTED_NETWORK_VIEW'],
  ...['policy.mesh.internal/check', 'policy.mesh.internal/checkBaseRetryWaitTime', '__proto__', 'toString'],
);

const resourceName = fc.oneof(
  fc
    .array(fc.constantFrom('|', 'outbound', 'inbound', 'policy', '80', 'web.shop.svc.cluster.local', ':', '.', '*'), {
      maxLength: 10,
    })
    .map((parts) => parts.join('')),
  fc.string({ unit: 'binary' }),
);

export const xdsTargets: readonly FuzzTarget[] = [
  fuzzTarget('discovery-request', {
    inputs: bytesLike(request),
    // Bytes that are not a message fail in the protobuf library, which ends only that stream.
    refusals: ['Error', 'RangeError'],
    run: (bytes) => readResourceNames(readDiscoveryRequest(Buffer.from(bytes)).encodedNames),
  }),
  fuzzTarget('rest-request', {
    inputs: fc.oneof(
      mutated(Buffer.from(JSON.stringify({ node: JSON_NODE, version_info: 'v', resource_names: ['a'] }))).map(String),
      fc.jsonValue().map((node) => JSON.stringify({ node, error_detail: node })),
      fc.dictionary(metadataKey, fc.jsonValue()).map((metadata) => JSON.stringify({ node: { id: 'a', metadata } })),
    ),
    refusals: ['StreamError', 'LimitError'],
    run: (body) => {
      const { message } = inOneStep(readRestRequest(body, TypeUrl.cluster, { names: 100, nodeBytes: 65_536 }));
      return readProxy(readDiscoveryRequest(message).node as Uint8Array);
    },
  }),
  fuzzTarget('load-report', {
    inputs: bytesLike(loadReport),
    refusals: ['Error', 'RangeError'],
    run: (bytes) => inOneStep(readLoadReport(Buffer.from(bytes), 1_000)),
  }),
  fuzzTarget('client-status-request', {
    inputs: bytesLike(statusRequest),
    refusals: ['StreamError'],
    run: (bytes) => readClientStatusRequest(Buffer.from(bytes)),
  }),
  fuzzTarget('delta-request', {
    inputs: bytesLike(deltaRequest),
    refusals: ['Error', 'RangeError', 'TooManyNamesError'],
    run: (bytes) => {
      const { subscribe, unsubscribe, versions } = readDeltaRequest(Buffer.from(bytes), () => 100);
      const names = [subscribe, unsubscribe].map((list) => inOneStep(readResourceNames(list)));
      const claim = { encoded: versions, expected: EMPTY_RESOURCE_SET, isAsked: () => true };
      return [readAnswer(Buffer.from(bytes)), names, inOneStep(claims.read(claim)).resources];
    },
  }),
  fuzzTarget('node', {
    inputs: bytesLike(node),
    refusals: ['StreamError', 'LimitError'],
    run: (bytes) => readProxy(Buffer.from(bytes)),
  }),
  fuzzTarget('node-id', {
    inputs: fc.record({ id: nodeId, metadata: fc.dictionary(metadataKey, fc.jsonValue()), region: fc.string() }),
    refusals: ['NodeError'],
    run: ({ id, metadata, region }) =>
      parseNode({ id, metadata, locality: { region, zone: '', subZone: '' }, userAgentVersion: '' }),
  }),
  fuzzTarget('resource-name', {
    inputs: resourceName,
    run: (name) => [parseOutboundClusterName(name), parseRouteName(name), parsePolicyFilterName(name)],
  }),
];
