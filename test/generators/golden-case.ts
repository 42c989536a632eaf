import { dump } from 'js-yaml';
import { gatewayControllerName } from '../../src/config/gateway-api/gateway-api-names.js';
import { createKindRegistry } from '../../src/config/kinds.js';
import { createMeshConfigReader } from '../../src/config/mesh/read-mesh-config.js';
import { createMeshNetworksReader } from '../../src/config/mesh/read-mesh-networks.js';
import { DEFAULT_MESH_DOMAIN } from '../../src/config/mesh-domain.js';
import type { MeshObject } from '../../src/config/object.js';
import { DEFAULT_REGEX_LIMITS } from '../../src/config/regex/regex-limits.js';
import { createSchemaCompiler } from '../../src/config/schema/schema-reader.js';
import type { SettingsReader } from '../../src/config/settings-reader.js';
import { createYamlParser } from '../../src/config/yaml/parse-document.js';
import { splitDocuments } from '../../src/config/yaml/split-documents.js';
import type { GeneratorSettings } from '../../src/generators/settings.js';
import type { GatewayApiSettings } from '../../src/model/gateway-api/gateway-api-settings.js';
import type { ObjectChange } from '../../src/model/object-change.js';
import { type NodeDescription, parseNode } from '../../src/model/parse-node.js';
import type { Proxy } from '../../src/model/proxy.js';
import type { PushContext } from '../../src/model/push-context.js';
import { nextPushContext } from '../../src/model/snapshot/next-push-context.js';
import { createMeshStore } from '../../src/model/store/mesh-store.js';
import { readObjects } from '../config/support/read-yaml.js';
import { SETTINGS } from './default-settings.js';

/** The first document of a case: the proxies and the mesh config. The others are objects as in a mesh folder. */
interface CaseHeader {
  /** Nodes, by a name that describes each. */
  readonly proxies: Readonly<Record<string, CaseNode>>;
  readonly settings?: Partial<GeneratorSettings>;
  /** NAV_ENABLE_VIRTUAL_SERVICE_DELEGATE; default false. */
  readonly delegates?: boolean;
  /** NAV_ENABLED_SERVICE_APIS; default false. */
  readonly gatewayApi?: boolean;
  /** The mesh config file. */
  readonly meshConfig?: unknown;
  /** The mesh networks file. */
  readonly meshNetworks?: unknown;
  /** Fetched keys of JWT issuers, by the id of their source. */
  readonly keySets?: Readonly<Record<string, unknown>>;
  /** The dimensions of the policy server's limits, by quota. */
  readonly limits?: Readonly<Record<string, readonly string[]>>;
}

/** A proxy has secrets where its stream is authenticated, and the rest depends on its stream too: no node says so. */
type CaseNode = Pick<NodeDescription, 'id'> &
  Partial<NodeDescription> &
  Partial<Pick<Proxy, 'hasSecrets' | 'speaksDelta' | 'takesVirtualHosts'>>;

/** Reads a case with the code of the product: the store of the model for objects, the node parser for proxies. */
export interface GoldenCase {
  readonly context: PushContext;
  readonly settings: GeneratorSettings;
  readonly proxies: ReadonlyMap<string, Proxy>;
  /** All objects of the case. */
  readonly objects: readonly MeshObject[];
  /** Adds or removes objects; returns the next snapshot. */
  change(type: 'upsert' | 'delete', objects: readonly MeshObject[]): PushContext;
}

const CLUSTER = 'Orchestrator';

const GATEWAY_API: GatewayApiSettings = {
  controllerName: gatewayControllerName(DEFAULT_MESH_DOMAIN),
  ingressNamespace: 'edge',
  regexLimits: DEFAULT_REGEX_LIMITS,
};

/** @throws Error when anything in the case is not as a mesh would accept it */
export function readGoldenCase(name: string, text: string): GoldenCase {
  const parse = createYamlParser();
  const [first, ...documents] = splitDocuments(text);
  const parsed = parse(first?.text ?? '');
  if (parsed.type === 'error') throw new Error(`${name}: ${parsed.message}`);
  const header = parsed.value as CaseHeader;
  const compiler = createSchemaCompiler();
  const settings = { ...SETTINGS, ...header.settings };
  const mesh = readSettings(name, createMeshConfigReader(compiler), header.meshConfig);
  const networks = readSettings(name, createMeshNetworksReader(compiler), header.meshNetworks);
  const { delegates = false, gatewayApi = false } = header;
  const store = createMeshStore(
    {
      domain: 'cluster.local',
      clusterId: CLUSTER,
      meshDomain: DEFAULT_MESH_DOMAIN,
      revision: '',
      trustDomain: '',
      useEndpointSlice: false,
      servicesSelectWorkloadEntries: true,
      serviceEntriesSelectPods: true,
      edsForHeadlessServices: settings.edsForHeadlessServices,
      virtualServiceDelegates: delegates,
      ...(gatewayApi ? { gatewayApi: GATEWAY_API } : {}),
    },
    { mesh, networks },
  );
  const kinds = createKindRegistry(DEFAULT_MESH_DOMAIN, undefined, { virtualServices: { delegates }, gatewayApi });
  const objects = readObjects(documents.map((document) => document.text).join('\n'), name, kinds);
  let context: PushContext | undefined;
  const change: GoldenCase['change'] = (type, changed) => {
    const changes = changed.map((object): ObjectChange => {
      const { kind, metadata } = object;
      return type === 'upsert' ? { type, object } : { type, kind, namespace: metadata.namespace, name: metadata.name };
    });
    store.apply({ cluster: CLUSTER, changes });
    context = nextPushContext(context, store, new Date(0));
    return context;
  };
  const keySets = Object.entries(header.keySets ?? {}).map(
    ([id, keys]) => [id, { text: JSON.stringify(keys), version: id }] as const,
  );
  store.setKeySets(new Map(keySets), new Set());
  const limits = Object.entries(header.limits ?? {});
  store.setQuotaShapes(new Map(limits.map(([quota, dimensions]) => [quota, { dimensions, hasKeyList: false }])));
  return {
    context: change('upsert', objects),
    settings,
    objects,
    change,
    proxies: new Map(Object.entries(header.proxies).map(([title, node]) => [title, readProxy(node)])),
  };
}

function readSettings<Value>(name: string, read: SettingsReader<Value>, content: unknown): Value {
  const result = read(content);
  if (result.type === 'invalid') throw new Error(`${name}: ${JSON.stringify(result.violations)}`);
  return result.value;
}

function readProxy({ hasSecrets = false, speaksDelta = false, takesVirtualHosts = false, ...node }: CaseNode): Proxy {
  const facts = { metadata: {}, locality: { region: '', zone: '', subZone: '' }, userAgentVersion: '', ...node };
  return { ...parseNode(facts), hasSecrets, speaksDelta, takesVirtualHosts };
}

/** One canonical form, so that a diff shows only changes. */
export function toGoldenYaml(value: unknown): string {
  return dump(value, { lineWidth: -1, noRefs: true, noCompatMode: true });
}
