import { isRecord } from '../../../base/record.js';
import { createYamlParser, type ParsedYaml } from '../../../config/yaml/parse-document.js';
import type { ProbeProtocol } from '../app-probes.js';
import type { ApplicationItems } from '../application-items.js';
import { InjectionError } from '../injection-error.js';
import { ITEM_LISTS, type JsonMapping, type NamedItem } from '../pod.js';
import type { PodItems } from '../previous-injection.js';

/** The items that a template injects. */
export interface RenderedItems {
  readonly lists: PodItems;
  readonly dnsConfig: JsonMapping | undefined;
  /** What the pod's own containers get: `applicationEnv`, `applicationVolumeMounts`. */
  readonly application: ApplicationItems;
  /** Annotations of the pod. */
  readonly podRedirectAnnot: Readonly<Record<string, string>>;
  /**
   * Protocols of the probes that an injected agent makes, so that they go to the status port: `rewriteAppHTTPProbe`,
   * `rewriteAppTCPProbe`, `rewriteAppGRPCProbe`.
   */
  readonly rewrittenProbes: readonly ProbeProtocol[];
  /** Whether an injected agent serves the application's metrics with those of the proxy on the status port. */
  readonly mergeMetrics: boolean;
  /** Warnings for the author of the pod. */
  readonly warnings: readonly string[];
}

const FIELDS = [
  ...ITEM_LISTS,
  'dnsConfig',
  'applicationEnv',
  'applicationVolumeMounts',
  'podRedirectAnnot',
  'rewriteAppHTTPProbe',
  'rewriteAppTCPProbe',
  'rewriteAppGRPCProbe',
  'mergeMetrics',
  'warnings',
];
const MAX_ITEMS = 100;

/**
 * Reads a template's output, which must be a mapping of these fields. The API server checks the content of containers
 * and volumes.
 *
 * @throws InjectionError INVALID_OUTPUT
 */
export type RenderedItemsReader = (output: string) => RenderedItems;

export function createRenderedItemsReader(): RenderedItemsReader {
  const parseYaml = createYamlParser();
  return (output) => readItemsOf(output, parseYaml(output));
}

function readItemsOf(output: string, parsed: ParsedYaml): RenderedItems {
  if (parsed.type === 'error') {
    const line = parsed.line === undefined ? '' : `line ${parsed.line}: ${quotedLine(output, parsed.line)}: `;
    throw invalid(`${line}is not valid YAML: ${parsed.message}`);
  }
  const content = parsed.value ?? {};
  if (!isRecord(content)) throw invalid('is not a mapping: write initContainers:, containers:, volumes: and so on');
  const unknown = Object.keys(content).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) throw invalid(`${unknown}: is not a known field; known are ${FIELDS.join(', ')}`);
  return {
    lists: {
      initContainers: readItems(content, 'initContainers'),
      containers: readItems(content, 'containers'),
      volumes: readItems(content, 'volumes'),
      imagePullSecrets: readItems(content, 'imagePullSecrets'),
    },
    dnsConfig: readMapping(content, 'dnsConfig'),
    application: {
      env: readItems(content, 'applicationEnv'),
      volumeMounts: readItems(content, 'applicationVolumeMounts', 'mountPath'),
    },
    podRedirectAnnot: readTexts(content, 'podRedirectAnnot'),
    rewrittenProbes: [
      ...(readBoolean(content, 'rewriteAppHTTPProbe') ? (['http'] as const) : []),
      ...(readBoolean(content, 'rewriteAppTCPProbe') ? (['tcp'] as const) : []),
      ...(readBoolean(content, 'rewriteAppGRPCProbe') ? (['grpc'] as const) : []),
    ],
    mergeMetrics: readBoolean(content, 'mergeMetrics'),
    warnings: readLines(content, 'warnings'),
  };
}

function readItems(content: JsonMapping, list: string, key = 'name'): readonly NamedItem[] {
  const value = content[list] ?? [];
  if (!Array.isArray(value)) throw invalid(`${list}: is not a list; write each item on a line that starts with "-"`);
  if (value.length > MAX_ITEMS) throw invalid(`${list}: has ${value.length} items; the maximum is ${MAX_ITEMS}`);
  const names = new Set<string>();
  for (const [index, item] of value.entries()) {
    const path = `${list}[${index}]`;
    if (!isRecord(item)) throw invalid(`${path}: is not a mapping; give it a ${key} and the rest of its fields`);
    const name = item[key];
    if (typeof name !== 'string' || name === '')
      throw invalid(`${path}.${key}: is not a text; give each item a ${key}`);
    if (names.has(name)) throw invalid(`${path}.${key}: ${JSON.stringify(name)} occurs twice; change one of them`);
    names.add(name);
    const isContainer = list === 'containers' || list === 'initContainers';
    if (isContainer && (typeof item['image'] !== 'string' || item['image'] === '')) {
      throw invalid(`${path}.image: is not a text; give the container an image`);
    }
  }
  return value as readonly NamedItem[];
}

function readMapping(content: JsonMapping, field: string): JsonMapping | undefined {
  const value = content[field] ?? undefined;
  if (value === undefined || isRecord(value)) return value;
  throw invalid(`${field}: is not a mapping; write fields as "name: value"`);
}

function readTexts(content: JsonMapping, field: string): Readonly<Record<string, string>> {
  const value = readMapping(content, field) ?? {};
  for (const [key, text] of Object.entries(value)) {
    if (typeof text !== 'string') throw invalid(`${field}[${JSON.stringify(key)}]: is not a text; put it in quotes`);
  }
  return value as Readonly<Record<string, string>>;
}

function readBoolean(content: JsonMapping, field: string): boolean {
  const value = content[field] ?? false;
  if (typeof value === 'boolean') return value;
  throw invalid(`${field}: is neither true nor false`);
}

function readLines(content: JsonMapping, field: string): readonly string[] {
  const value = content[field] ?? [];
  if (Array.isArray(value) && value.every((line) => typeof line === 'string')) return value;
  throw invalid(`${field}: is not a list of texts`);
}

const MAX_QUOTED = 80;

function quotedLine(output: string, line: number): string {
  return JSON.stringify((output.split('\n')[line - 1] ?? '').slice(0, MAX_QUOTED));
}

function invalid(message: string): InjectionError {
  return new InjectionError('INVALID_OUTPUT', `output of the injection template: ${message}`);
}
