import { createKindRegistry } from '../config/kinds.js';
import type { RegexLimits } from '../config/regex/regex-limits.js';
import { createYamlParser } from '../config/yaml/parse-document.js';
import type { MeshStoreSettings } from '../model/store/mesh-store-settings.js';
import type { Enforcement } from '../status/analysis/analysis-input.js';
import type { AnalysisMessage } from '../status/analysis/analysis-message.js';
import { MESSAGE_CODES, type MessageNeed } from '../status/analysis/message-codes.js';
import { analyzeObjects } from './analyze-objects.js';
import { type Finding, type Report, sortFindings } from './finding.js';
import { InputError } from './input-error.js';
import type { InputText } from './read-inputs.js';
import { readMeshSettings } from './read-mesh-settings.js';
import { type ReadObjects, readObjects } from './read-objects.js';

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
  /** The server or cluster that the objects come from. Their texts then have no lines that users know. Default: files. */
  readonly from?: string;
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
    expressionLanguage: settings.enforcement.expressionLanguage,
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
  const { from } = settings;
  const excerpted = from === undefined ? withExcerpts(inputs) : withoutLine;
  const findings = sortFindings([...problems, ...messages.map((message) => findingOf(message, read))]).map(excerpted);
  return {
    ...(from === undefined ? {} : { from }),
    findings,
    files: inputs.length,
    objects: placed.size + invalid,
    skipped,
    leftOut,
  };
}

function lacksOf({ isComplete, meshConfigFile }: AnalyzeSettings): ReadonlySet<MessageNeed> {
  const lacks = new Set<MessageNeed>();
  if (!isComplete) lacks.add('wholeMesh');
  if (meshConfigFile === undefined) lacks.add('meshConfig');
  return lacks;
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

function withoutLine({ line: _, ...finding }: Finding): Finding {
  return finding;
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
