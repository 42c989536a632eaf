import { DurationSyntaxError, parseDuration } from '../base/parse-duration.js';
import { NodeError, quoteForMessage } from './node-error.js';
import { readShapesText } from './policy/fast/shapes-text.js';
import { readPolicyOverrides } from './policy/read-policy-overrides.js';
import type { InterceptionMode, ProxyMetadata } from './proxy.js';

/** Metadata of an Envoy node as plain JSON. */
export type NodeMetadata = Readonly<Record<string, unknown>>;

const MAX_VALUE_LENGTH = 4096;
const INTERCEPTION_MODES: readonly InterceptionMode[] = ['REDIRECT', 'TPROXY', 'NONE'];

/**
 * Reads the metadata keys of docs/reference/xds.md#node and ignores others. Null and empty values count as absent.
 *
 * @param meshDomain domain of the keys `policy.D/…`
 * @throws NodeError INVALID_METADATA for a value that its key does not allow
 */
export function parseNodeMetadata(metadata: NodeMetadata, meshDomain: string): ProxyMetadata {
  const text = (key: string): string | undefined => readText(metadata, key);
  const idleTimeout = readTimeout(metadata, 'IDLE_TIMEOUT');
  return withoutUndefined({
    meshVersion: text('MESH_VERSION'),
    labels: readLabels(metadata),
    instanceIps: readList(metadata, 'INSTANCE_IPS'),
    namespace: text('NAMESPACE'),
    interceptionMode: readInterceptionMode(metadata),
    serviceAccount: text('SERVICE_ACCOUNT'),
    clusterId: text('CLUSTER_ID'),
    network: text('NETWORK'),
    requestedNetworkView: readNetworks(metadata),
    idleTimeoutMs: idleTimeout,
    http10: readFlag(metadata, 'HTTP10'),
    dnsCapture: readFlag(metadata, 'DNS_CAPTURE'),
    onDemand: readFlag(metadata, 'ON_DEMAND'),
    generator: text('GENERATOR'),
    certificateProvider: text('CERTIFICATE_PROVIDER'),
    routerMode: text('ROUTER_MODE'),
    meshId: text('MESH_ID'),
    quotaCounters: readQuotaCounters(text('QUOTA_COUNTERS')),
    quotaShapes: readQuotaShapes(valueOf(metadata, 'QUOTA_LIMITS')),
    policy: readPolicyOverrides({ text, wrong }, meshDomain),
    texts: readTexts(metadata),
  });
}

/** More and longer texts match no EnvoyFilter. Each proxy keeps them. */
const MAX_TEXTS = 64;
const MAX_TEXT_LENGTH = 1024;

function readTexts(metadata: NodeMetadata): Readonly<Record<string, string>> | undefined {
  const texts: [string, string][] = [];
  for (const [key, value] of Object.entries(metadata)) {
    if (typeof value !== 'string' || value === '' || key.length + value.length > MAX_TEXT_LENGTH) continue;
    texts.push([key, value]);
    if (texts.length === MAX_TEXTS) break;
  }
  return texts.length === 0 ? undefined : Object.fromEntries(texts);
}

function readQuotaCounters(text: string | undefined): ProxyMetadata['quotaCounters'] {
  return text === 'memory' || text === 'shared' ? text : undefined;
}

/** Another text is as none: the specs of such a policy server stay exact. */
function readQuotaShapes(value: unknown): ProxyMetadata['quotaShapes'] {
  return typeof value === 'string' ? readShapesText(value) : undefined;
}

function valueOf(metadata: NodeMetadata, key: string): unknown {
  const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
  return value === null || value === '' ? undefined : value;
}

function readText(metadata: NodeMetadata, key: string): string | undefined {
  const value = valueOf(metadata, key);
  if (value === undefined) return undefined;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') throw wrong(key, value, 'text');
  if (value.length > MAX_VALUE_LENGTH) throw wrong(key, value, `text of at most ${MAX_VALUE_LENGTH} characters`);
  return value;
}

/** A list, or text with commas. */
function readList(metadata: NodeMetadata, key: string): readonly string[] {
  const value = valueOf(metadata, key);
  if (value === undefined) return [];
  const items: readonly unknown[] = Array.isArray(value) ? value : (readText(metadata, key) ?? '').split(',');
  return items
    .map((item) => {
      if (typeof item !== 'string') throw wrong(key, value, 'text with commas, or a list of texts');
      return item.trim();
    })
    .filter((item) => item !== '');
}

/** Far more than a mesh has. */
const MAX_NETWORKS = 64;

function readNetworks(metadata: NodeMetadata): readonly string[] {
  const networks = readList(metadata, 'REQUESTED_NETWORK_VIEW');
  if (networks.length <= MAX_NETWORKS) return networks;
  throw wrong('REQUESTED_NETWORK_VIEW', networks, `a list of at most ${MAX_NETWORKS} networks`);
}

function readLabels(metadata: NodeMetadata): Readonly<Record<string, string>> {
  const value = valueOf(metadata, 'LABELS');
  if (value === undefined) return {};
  if (typeof value !== 'object' || Array.isArray(value)) throw wrong('LABELS', value, 'an object of texts');
  const labels: [string, string][] = [];
  for (const [key, item] of Object.entries(value as object) as [string, unknown][]) {
    if (typeof item === 'object') throw wrong(`LABELS.${key}`, item, 'text');
    labels.push([key, String(item)]);
  }
  return Object.fromEntries(labels);
}

function readInterceptionMode(metadata: NodeMetadata): InterceptionMode {
  const value = readText(metadata, 'INTERCEPTION_MODE');
  if (value === undefined) return 'REDIRECT';
  const mode = INTERCEPTION_MODES.find((candidate) => candidate === value);
  if (mode === undefined) throw wrong('INTERCEPTION_MODE', value, INTERCEPTION_MODES.join(', '));
  return mode;
}

function readFlag(metadata: NodeMetadata, key: string): boolean | undefined {
  const value = readText(metadata, key)?.toLowerCase();
  if (value === undefined) return undefined;
  if (value === '1' || value === 'true') return true;
  if (value === '0' || value === 'false') return false;
  throw wrong(key, value, 'true, false, 1 or 0');
}

function readTimeout(metadata: NodeMetadata, key: string): number | undefined {
  const value = readText(metadata, key);
  if (value === undefined) return undefined;
  try {
    const timeoutMs = parseDuration(value);
    if (timeoutMs >= 0) return timeoutMs;
  } catch (error) {
    if (!(error instanceof DurationSyntaxError)) throw error;
    throw wrong(key, value, 'a duration such as 30s', error);
  }
  throw wrong(key, value, 'a duration of 0s or more');
}

function wrong(key: string, value: unknown, wanted: string, cause?: Error): NodeError {
  const shown = typeof value === 'string' ? quoteForMessage(value) : kindOf(value);
  const message = `node metadata ${quoteForMessage(key)} is ${shown}, which cannot be used: it has to be ${wanted}`;
  return new NodeError('INVALID_METADATA', message, cause === undefined ? {} : { cause });
}

function kindOf(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'a list' : `of type ${typeof value}`;
}

type Defined<T> = { [Key in keyof T]: Exclude<T[Key], undefined> };
type OptionalUndefined<T> = {
  [Key in keyof T as undefined extends T[Key] ? never : Key]: T[Key];
} & Partial<Defined<{ [Key in keyof T as undefined extends T[Key] ? Key : never]: T[Key] }>>;

/** Removes keys whose value is undefined. */
function withoutUndefined<T extends object>(value: T): OptionalUndefined<T> {
  return Object.fromEntries(Object.entries(value).filter(([, item]) => item !== undefined)) as OptionalUndefined<T>;
}
