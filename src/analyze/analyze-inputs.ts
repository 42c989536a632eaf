import { createKindRegistry } from '../config/kinds.js';
import { createDefaultMeshConfig, createMeshConfigReader } from '../config/mesh/read-mesh-config.js';
import { createDefaultMeshNetworks, createMeshNetworksReader } from '../config/mesh/read-mesh-networks.js';
import type { RegexLimits } from '../config/regex/regex-limits.js';
import { createSchemaCompiler } from '../config/schema/schema-reader.js';
import { createYamlParser, type YamlParser } from '../config/yaml/parse-document.js';
import type { MeshStoreSettings } from '../model/store/mesh-store-settings.js';
import type { Enforcement } from '../status/analysis/analysis-input.js';
import type { AnalysisMessage } from '../status/analysis/analysis-message.js';
import { MESSAGE_CODES, type MessageNeed } from '../status/analysis/message-codes.js';
import { analyzeObjects } from './analyze-objects.js';
import { type Finding, type Report, sortFindings } from './finding.js';
import { InputError } from './input-error.js';
import type { InputText } from './read-inputs.js';
import { type ReadObjects, readObjects } from './read-objects.js';
import { readSettingsFile } from './read-settings.js';

/** What to analyze the objects against. */
export interface AnalyzeSettings {
  readonly store: MeshStoreSettings;
  readonly enforcement: Enforcement;
  readonly regexLimits: RegexLimits;
  /** Namespace of namespaced objects without one. */
  readonly defaultNamespace: string;
  /** Undefined: messages about settings of the mesh config are left out. */
  readonly meshConfigFile: string | undefined;
  /** Undefined: the mesh is one network. */
  readonly networksConfigFile: string | undefined;
  /** Whether the input is the whole mesh, so that an object that it lacks does not exist. */
  readonly isComplete: boolean;
}

/**
 * Validates and analyzes the objects of texts.
 *
 * @throws InputError if a settings file is invalid, or no text has an object
 */
export async function analyzeInputs(inputs: readonly InputText[], settings: AnalyzeSettings): Promise<Report> {
  const parse = createYamlParser();
  const kinds = createKindRegistry(settings.store.meshDomain, settings.regexLimits, {
    virtualServices: { delegates: settings.enforcement.areDelegatesOn ?? false },
  });
  const read = readObjects(inputs, { kinds, parse, defaultNamespace: settings.defaultNamespace });
  const { placed, problems, skipped, invalid } = read;
  if (placed.size + problems.length + skipped === 0) {
    throw new InputError('the input has no objects; name files with objects of the mesh, or - for standard input');
  }
  const objects = [...placed.values()].map(({ object }) => object);
  const { messages, leftOut } = analyzeObjects(objects, {
    ...settings,
    ...(await readMeshSettings(settings, parse)),
    lacks: lacksOf(settings),
  });
  const excerpted = withExcerpts(inputs);
  const findings = sortFindings([...problems, ...messages.map((message) => findingOf(message, read))]).map(excerpted);
  return { findings, files: inputs.length, objects: placed.size + invalid, skipped, leftOut };
}

function lacksOf({ isComplete, meshConfigFile }: AnalyzeSettings): ReadonlySet<MessageNeed> {
  const lacks = new Set<MessageNeed>();
  if (!isComplete) lacks.add('wholeMesh');
  if (meshConfigFile === undefined) lacks.add('meshConfig');
  return lacks;
}

async function readMeshSettings({ meshConfigFile, networksConfigFile }: AnalyzeSettings, parse: YamlParser) {
  const compiler = createSchemaCompiler();
  const mesh =
    meshConfigFile === undefined
      ? createDefaultMeshConfig()
      : await readSettingsFile('--meshConfig', meshConfigFile, createMeshConfigReader(compiler), parse);
  const networks =
    networksConfigFile === undefined
      ? createDefaultMeshNetworks()
      : await readSettingsFile('--networksConfig', networksConfigFile, createMeshNetworksReader(compiler), parse);
  return { mesh, networks };
}

function findingOf({ code, level, object, field, message }: AnalysisMessage, { placed }: ReadObjects): Finding {
  const place = object === undefined ? undefined : placed.get(object);
  const remedy = Object.values(MESSAGE_CODES).find((known) => known.code === code)?.remedy ?? '';
  const isWhole = message.endsWith(`; ${remedy}`);
  return {
    code,
    level,
    ...(place === undefined ? {} : { file: place.file, line: place.lineOf(field ?? '') }),
    ...(object === undefined ? {} : { object: place?.written ?? object }),
    ...(field === undefined ? {} : { field }),
    message: isWhole ? message.slice(0, -remedy.length - 2) : message,
    remedy,
  };
}

/** A minified file has one long line. */
const MAX_EXCERPT = 100;

function withExcerpts(inputs: readonly InputText[]): (finding: Finding) => Finding {
  const lines = new Map<string, readonly string[]>();
  return (finding) => {
    const { file, line } = finding;
    if (file === undefined || line === undefined) return finding;
    const ofFile = lines.get(file) ?? inputs.find((input) => input.file === file)?.text.split(/\r?\n/) ?? [];
    lines.set(file, ofFile);
    const excerpt = (ofFile[line - 1] ?? '').trim();
    if (excerpt === '') return finding;
    return { ...finding, excerpt: excerpt.length > MAX_EXCERPT ? `${excerpt.slice(0, MAX_EXCERPT)}…` : excerpt };
  };
}
