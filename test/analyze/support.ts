import { type AnalyzeSettings, analyzeInputs } from '../../src/analyze/analyze-inputs.js';
import type { Finding, Report } from '../../src/analyze/finding.js';
import { readObjects } from '../../src/analyze/read-objects.js';
import { createKindRegistry } from '../../src/config/kinds.js';
import { DEFAULT_REGEX_LIMITS } from '../../src/config/regex/regex-limits.js';
import { createYamlParser } from '../../src/config/yaml/parse-document.js';

const SETTINGS: AnalyzeSettings = {
  store: {
    domain: 'cluster.local',
    clusterId: 'Orchestrator',
    meshDomain: 'mesh.internal',
    revision: '',
    trustDomain: '',
    useEndpointSlice: true,
    servicesSelectWorkloadEntries: true,
    serviceEntriesSelectPods: true,
    edsForHeadlessServices: false,
  },
  enforcement: { isPluginOn: true, limitedQuotas: undefined, knowsLimits: false },
  regexLimits: DEFAULT_REGEX_LIMITS,
  defaultNamespace: 'default',
  meshConfigFile: undefined,
  networksConfigFile: undefined,
  isComplete: false,
};

/** Analyzes texts by file name. */
export async function analyzeTexts(
  texts: Readonly<Record<string, string>>,
  settings: Partial<AnalyzeSettings> = {},
): Promise<Report> {
  const inputs = Object.entries(texts).map(([file, text]) => ({ file, text }));
  return await analyzeInputs(inputs, { ...SETTINGS, ...settings });
}

/** `file:line code object field` */
export function shownFinding({ file, line, code, object, field }: Finding): string {
  return [`${file}:${line}`, code, object, field].filter((part) => part !== undefined).join(' ');
}

export function readTexts(texts: Readonly<Record<string, string>>) {
  return readObjects(
    Object.entries(texts).map(([file, text]) => ({ file, text })),
    { kinds: createKindRegistry('mesh.internal'), parse: createYamlParser(), defaultNamespace: 'default' },
  );
}
