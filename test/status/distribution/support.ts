import { type MeshObject, type ObjectKey, objectKey } from '../../../src/config/object.js';
import { RULE_KINDS } from '../../../src/config/policy-rules/kind-names.js';
import { TypeUrl } from '../../../src/envoy/type-urls.js';
import { clustersAffectedBy } from '../../../src/generators/affected-by.js';
import type { ResourceGenerator } from '../../../src/generators/generator.js';
import {
  extensionConfigsAffectedBy,
  ruleObjectsAffectedBy,
  serviceConfigsAffectedBy,
} from '../../../src/generators/policy/affected-by.js';
import type { ObjectChange } from '../../../src/model/object-change.js';
import type { Proxy, ProxyType } from '../../../src/model/proxy.js';
import type { ProxyConnection, WatchSnapshot } from '../../../src/model/proxy-connection.js';
import type { PushContext } from '../../../src/model/push-context.js';
import { MESH_CONFIG_KEY } from '../../../src/model/push-request.js';
import { POLICY_TYPE_URLS } from '../../../src/policy/wire/call-metadata.js';
import { CONFIG_VERSION_LENGTH, createDistributionLedger } from '../../../src/push/distribution-ledger.js';
import { ledgerChanges } from '../../../src/push/ledger-changes.js';
import { createPolicyConcerns } from '../../../src/status/distribution/concerned-policies.js';
import type { InstanceProgress } from '../../../src/status/distribution/instance-progress.js';
import { measureProgress } from '../../../src/status/distribution/measure-progress.js';
import { createRejectionBook } from '../../../src/status/distribution/rejection-book.js';
import { MESH } from '../../generators/context-builder.js';
import { batch, endpoints, pod, service, snapshot, storeWith } from '../../model/mesh-objects.js';
import { pushRequest } from '../../support/push-requests.js';
import { policyObjects } from '../analysis/support.js';

export const STATUS_KINDS = [
  'QuotaSpec',
  'QuotaSpecBinding',
  'HTTPAPISpec',
  'HTTPAPISpecBinding',
  'ServiceEntry',
  'WorkloadEntry',
  ...RULE_KINDS,
];

export type PolicySettings = Partial<typeof MESH.policy>;

/** A mesh with the services books and users of shop. The test adds objects, and sets the state of each proxy. */
export interface TestMesh {
  /** Ledger version of the newest snapshot. */
  readonly configVersion: string;
  readonly context: PushContext;
  /** Applies objects, one a line: `Kind namespace/name {spec}`, and pushes. Returns the new config version. */
  apply(text: string): string;
  remove(kind: string, path: string): string;
  /** Changes the mesh config, and pushes. Returns the new config version. */
  setPolicy(policy: PolicySettings): string;
  /** Advances the time by a minute, and removes old versions that no connection has. */
  forget(): void;
  readonly connections: ProxyConnection[];
  progress(): InstanceProgress;
  /** `acked/proxies` of an object, with `acked/servers` where there are policy servers. */
  shown(key: ObjectKey): string;
  rejections(key: ObjectKey): readonly string[];
}

const AFFECTED: ReadonlyMap<string, ResourceGenerator['affectedBy']> = new Map([
  [TypeUrl.cluster, clustersAffectedBy],
  [TypeUrl.extensionConfig, extensionConfigsAffectedBy],
  [POLICY_TYPE_URLS.serviceConfig, serviceConfigsAffectedBy],
  [POLICY_TYPE_URLS.ruleObject, ruleObjectsAffectedBy],
]);

export function createTestMesh(policy: PolicySettings = {}): TestMesh {
  const enforced = { mixerCheckServer: 'embedded', disablePolicyChecks: false, ...policy };
  const store = storeWith({}, { mesh: { ...MESH, policy: { ...MESH.policy, ...enforced } } });
  const ledger = createDistributionLedger(60_000);
  const concerns = createPolicyConcerns(true);
  const connections: ProxyConnection[] = [];
  let nowMs = 0;
  let generation = 0;
  let context: PushContext | undefined;

  const push = (): string => {
    const previous = context;
    context = snapshot(store, previous);
    ledger.record(ledgerChanges(previous, context, 'everything'), nowMs);
    return ledger.configVersion;
  };
  const current = (): PushContext => {
    if (context === undefined) throw new Error('nothing was pushed');
    return context;
  };
  const affects = (key: ObjectKey, typeUrl: string, proxyType: ProxyType): boolean =>
    AFFECTED.get(typeUrl)?.(
      pushRequest({ changed: key === MESH_CONFIG_KEY ? 'everything' : new Set([key]) }),
      proxyType,
      current(),
    ) ?? false;
  const book = createRejectionBook({
    history: ledger,
    affects,
    configVersionOfNonce: (nonce) => nonce.slice(0, CONFIG_VERSION_LENGTH),
    shortTypeName: (typeUrl) => (typeUrl === TypeUrl.cluster ? 'cds' : 'other'),
  });
  const progress = (): InstanceProgress => {
    book.update(connections, current());
    return measureProgress({
      context: current(),
      configVersion: ledger.configVersion,
      connections,
      history: ledger,
      concerns: concerns(current()),
      kinds: STATUS_KINDS,
      affects,
      rejectionsOf: book.of,
    });
  };
  const applyAll = (...changes: readonly (MeshObject | ObjectChange)[]): string => {
    store.apply(batch(...changes));
    return push();
  };

  applyAll(
    service('shop/books', { clusterIP: '10.96.0.1' }),
    endpoints('shop/books', ['10.0.0.1', '10.0.0.2']),
    pod('shop/books-1', '10.0.0.1'),
    pod('shop/books-2', '10.0.0.2'),
    service('shop/users', { clusterIP: '10.96.0.2' }),
    endpoints('shop/users', ['10.0.0.3']),
    pod('shop/users-1', '10.0.0.3'),
  );
  return {
    connections,
    setPolicy: (changed) => {
      store.setMesh({ ...MESH, policy: { ...MESH.policy, ...enforced, ...changed } });
      return push();
    },
    get configVersion() {
      return ledger.configVersion;
    },
    get context() {
      return current();
    },
    apply: (text) =>
      applyAll(
        ...policyObjects(text).map((object) => {
          generation += 1;
          const metadata = { ...object.metadata, generation, resourceVersion: `v${generation}` };
          return { ...object, metadata };
        }),
      ),
    remove: (kind, path) => {
      const [namespace = '', name = ''] = path.split('/');
      return applyAll({ type: 'delete', kind, namespace, name });
    },
    forget: () => {
      nowMs += 600_000;
      ledger.retain(
        new Set(connections.flatMap(({ watches }) => [...watches.values()].map((each) => each.ackedConfigVersion))),
      );
      ledger.record([{ key: objectKey('Service', '', 'tick'), version: String(nowMs) }], nowMs);
    },
    progress,
    shown: (key) => {
      const object = progress().objects.get(key);
      if (object === undefined) return 'absent';
      const servers = object.policyServers === 0 ? '' : ` ${object.ackedPolicyServers}/${object.policyServers}`;
      return `${object.ackedProxies}/${object.proxies}${servers}`;
    },
    rejections: (key) =>
      (progress().objects.get(key)?.rejections ?? []).map(
        ({ proxy, text, others }) => `${proxy}: ${text}${others.length === 0 ? '' : ` | ${others.join()}`}`,
      ),
  };
}

export function proxyAt(name: string, ip: string, fields: Partial<Proxy> = {}): Proxy {
  return {
    id: `sidecar~${ip}~${name}.shop~shop.svc.cluster.local`,
    type: 'sidecar',
    ipAddresses: [ip],
    name,
    configNamespace: 'shop',
    dnsDomain: 'shop.svc.cluster.local',
    locality: '',
    version: '1.40.0',
    metadata: { labels: {}, instanceIps: [], interceptionMode: 'REDIRECT', requestedNetworkView: [] },
    hasSecrets: false,
    ...fields,
  };
}

/** The versions of clusters and filters that a proxy has; a rejection is of clusters. */
export function connectionOf(
  proxy: Proxy,
  acked: { readonly cluster: string; readonly filters?: string },
  rejection?: { readonly message: string; readonly nonce: string },
): ProxyConnection {
  const watches = [
    watchOf(TypeUrl.cluster, acked.cluster, rejection),
    ...(acked.filters === undefined ? [] : [watchOf(TypeUrl.extensionConfig, acked.filters)]),
  ];
  return connectionWith(proxy, watches);
}

export function connectionWith(proxy: Proxy, watches: readonly WatchSnapshot[]): ProxyConnection {
  return {
    id: `${proxy.id}-1`,
    proxy,
    peer: '10.0.0.9:1',
    connectedAt: new Date(0),
    watches: new Map(watches.map((watch) => [watch.typeUrl, watch])),
  };
}

export function watchOf(
  typeUrl: string,
  ackedConfigVersion: string,
  rejection?: { readonly message: string; readonly nonce: string },
): WatchSnapshot {
  return {
    typeUrl,
    resourceNames: [],
    sentNonce: '',
    ackedNonce: '',
    sentVersion: '',
    ackedVersion: '',
    ackedConfigVersion,
    ...(rejection === undefined ? {} : { rejection: { code: 'INTERNAL', ...rejection } }),
  };
}
