import { parseUriTemplate } from '../../config/policy/uri-template.js';
import { type CheckRegex, checkRegex } from '../../config/regex/check-regex.js';
import { createMatchMeter, type MatchMeter } from '../../config/regex/match-meter.js';
import type { SharedProgram } from '../../config/regex/regex-programs.js';
import { type ApiKeyConfig, ApiKeyFinder } from './api-key.js';
import { type AttributeLayer, EMPTY_LAYER } from './attribute-bag.js';
import type { AttributeValue } from './attribute-value.js';
import { type AttributesConfig, AttributeValueError, readAttributes } from './attributes-from-config.js';
import type { RegexOptions, SpecProblem } from './compile-quota-specs.js';
import type { HeaderMap } from './header-map.js';
import { createRegexHome, RegexSet } from './regex-set.js';
import { withoutServiceNamespace } from './service-namespace.js';
import { PathTemplates } from './template-trie.js';
import { isForWorkload, type WorkloadsConfig } from './workload-labels.js';

/**
 * One operation of an API (docs/reference/policy-kinds.md#httpapispec HTTPAPISpecPattern); one of `uriTemplate` and
 * `regex` is set.
 */
export interface HttpApiPatternConfig {
  readonly attributes?: AttributesConfig;
  /** Compared case-sensitively; `*` stands for every method, as no method does. */
  readonly httpMethod?: string;
  /**
   * URI template (RFC 6570; grammar in docs/reference/policy-kinds.md#uri-templates). `{var:3}` matches at most 3
   * characters, because RFC 6570 expands every value to at most 3. `{?a,b}` excludes no request, because RFC 6570
   * leaves out names without a value. `{?a:3}` excludes longer values of `a`.
   */
  readonly uriTemplate?: string;
  /** RE2 syntax, for the whole path with its query. */
  readonly regex?: string;
}

/** The spec of an HTTPAPISpec (docs/reference/policy-kinds.md#httpapispec). */
export interface HttpApiSpecConfig {
  readonly attributes?: AttributesConfig;
  readonly patterns?: readonly HttpApiPatternConfig[];
  readonly apiKeys?: readonly ApiKeyConfig[];
  /** The labels of its workloads; all workloads unless given. */
  readonly workloads?: WorkloadsConfig;
}

/** The API specs of one service, ready for requests. Safe to share; never changes. */
export interface CompiledApiSpecs extends WorkloadApi {
  /** The parts that were left out because they cannot be used. */
  readonly problems: readonly SpecProblem[];
  /** All regular expressions, for a caller that compiles them before the first request. */
  readonly programs: readonly SharedProgram[];
  /**
   * The specs that are for a workload. Without it, only specs for all workloads count.
   *
   * @param labels attribute `destination.labels` of the request; undefined where the check does not know them
   */
  forWorkload(labels: AttributeValue | undefined): WorkloadApi;
}

/** The API specs that apply to requests to one workload. */
export interface WorkloadApi {
  /**
   * The API attributes of a request (docs/reference/policy-kinds.md#httpapispec): those of the best URI template of all
   * specs, of every matching regex, and of the top level of the specs with these patterns. A pattern's own attributes
   * take precedence over the top level, later regexes over earlier ones and over the template. Empty when no pattern
   * matches.
   *
   * @param target `:path` of the request, with its query
   */
  attributesFor(method: string, target: string): AttributeLayer;
  /**
   * The attributes, and whether they are complete: a pattern that cannot be used, or takes too long to match, may have
   * more.
   */
  assess(method: string, target: string): ApiAssessment;
  /**
   * The API key of a request: the first value that is not empty, in the order of all specs' APIKeys or in the default
   * order.
   */
  apiKeyFor(target: string, headers: HeaderMap): string | undefined;
}

/** The API attributes that could be determined. */
export interface ApiAssessment {
  readonly layer: AttributeLayer;
  readonly isUndecided: boolean;
}

/** The attributes of a pattern that matches. */
interface Operation {
  readonly specIndex: number;
  readonly topLevel: AttributeLayer;
  readonly own: AttributeLayer;
  /** Both in one, for the usual case that a single pattern matches. */
  readonly all: AttributeLayer;
}

/** A pattern with an expression that cannot be used. */
interface Undecided {
  readonly specIndex: number;
  readonly method: string;
}

interface RegexOperation {
  readonly method: string;
  readonly regex: string;
  readonly operation: Operation;
}

/** Compiles the API specs of a service. Never throws for bad specs: see `problems`. */
export function compileApiSpecs(specs: readonly HttpApiSpecConfig[], options: RegexOptions = {}): CompiledApiSpecs {
  const { check = checkRegex, home = createRegexHome() } = options;
  const undecided: Undecided[] = [];
  const problems: SpecProblem[] = [];
  const templates = new PathTemplates<Operation>();
  const regexes: RegexOperation[] = [];
  specs.forEach((spec, specIndex) => {
    const topLevel = attributesOf(spec.attributes, `[${specIndex}]`, problems);
    spec.patterns?.forEach((pattern, index) => {
      const field = `[${specIndex}].patterns[${index}]`;
      const own = attributesOf(pattern.attributes, field, problems);
      const operation = { specIndex, topLevel, own, all: new Map([...topLevel, ...own]) };
      const method = pattern.httpMethod ?? '*';
      const problem = addPattern(templates, regexes, pattern, method, operation, check, spec.workloads === undefined);
      if (problem === undefined) return;
      if (problem.field === 'regex') undecided.push({ specIndex, method });
      problems.push({ field: `${field}.${problem.field}`, message: problem.message });
    });
  });
  const regexSet = new RegexSet(
    regexes.map(({ regex }) => regex),
    home,
  );
  /** @param isFor which specs count; all unless given */
  const viewOf = (isFor?: (specIndex: number) => boolean): WorkloadApi => {
    const accepts = isFor && (({ specIndex }: Operation): boolean => isFor(specIndex));
    const finder = new ApiKeyFinder(
      specs.flatMap(({ apiKeys = [] }, index) => (isFor?.(index) === false ? [] : apiKeys)),
    );
    const cannotTell = isFor === undefined ? undecided : undecided.filter(({ specIndex }) => isFor(specIndex));
    const assess = (method: string, target: string): ApiAssessment => {
      const template = templates.find(method, target, accepts);
      const meter = createMatchMeter();
      const matching = regexes.length === 0 ? [] : matchingRegexes(regexSet, regexes, method, target, meter);
      const others = accepts === undefined ? matching : matching.filter(accepts);
      return {
        layer: mergeOperations(template === undefined ? others : [template, ...others]),
        isUndecided:
          meter.isExceeded || cannotTell.some((pattern) => pattern.method === method || pattern.method === '*'),
      };
    };
    return {
      attributesFor: (method, target) => assess(method, target).layer,
      assess,
      apiKeyFor: (target, headers) => finder.find(target, headers),
    };
  };
  const isRestricted = specs.some(({ workloads }) => workloads !== undefined);
  const viewFor = (labels: AttributeValue | undefined): WorkloadApi => {
    const isFor = specs.map(({ workloads }) => isForWorkload(workloads, labels));
    return viewOf((specIndex) => isFor[specIndex] === true);
  };
  const base = isRestricted ? viewFor(undefined) : viewOf();
  return {
    ...base,
    problems,
    programs: regexSet.programs,
    forWorkload: (labels) => (isRestricted && labels !== undefined ? viewFor(labels) : base),
  };
}

function addPattern(
  templates: PathTemplates<Operation>,
  regexes: RegexOperation[],
  { uriTemplate, regex }: HttpApiPatternConfig,
  method: string,
  operation: Operation,
  check: CheckRegex,
  isForAll: boolean,
): SpecProblem | undefined {
  if (method === '') return { field: 'httpMethod', message: 'is empty: name a method, such as GET, or * for all' };
  if (uriTemplate !== undefined && regex !== undefined) {
    return { field: 'uriTemplate', message: 'is set beside regex: set exactly one of them' };
  }
  if (regex !== undefined) {
    if (regex === '') return { field: 'regex', message: 'is empty: write an expression, or set uriTemplate' };
    const checked = check(regex);
    if (checked.type === 'error') return { field: 'regex', message: `${checked.message}: ${checked.remedy}` };
    regexes.push({ method, regex, operation });
    return undefined;
  }
  if (uriTemplate === undefined) return { field: 'uriTemplate', message: 'is missing: set it, or regex' };
  const parsed = parseUriTemplate(uriTemplate);
  if (parsed.type === 'error') return { field: 'uriTemplate', message: `${parsed.message}: ${parsed.remedy}` };
  templates.add(parsed.template, method, operation, isForAll);
  return undefined;
}

function matchingRegexes(
  set: RegexSet,
  regexes: readonly RegexOperation[],
  method: string,
  target: string,
  meter: MatchMeter,
): readonly Operation[] {
  const operations: Operation[] = [];
  for (const index of set.match(target, meter)) {
    const candidate = regexes[index];
    if (candidate !== undefined && (candidate.method === method || candidate.method === '*')) {
      operations.push(candidate.operation);
    }
  }
  return operations;
}

function mergeOperations(operations: readonly Operation[]): AttributeLayer {
  const [first] = operations;
  if (first === undefined) return EMPTY_LAYER;
  if (operations.length === 1) return first.all;
  const bySpec = operations.toSorted((a, b) => a.specIndex - b.specIndex);
  const layers = [...bySpec.map(({ topLevel }) => topLevel), ...operations.map(({ own }) => own)];
  return new Map(layers.flatMap((layer) => [...layer]));
}

function attributesOf(config: AttributesConfig | undefined, field: string, problems: SpecProblem[]): AttributeLayer {
  try {
    // A tenant writes specs, and rules of other namespaces must not take its services for theirs.
    return withoutServiceNamespace(readAttributes(config, `${field}.attributes`));
  } catch (error) {
    if (!(error instanceof AttributeValueError)) throw error;
    problems.push({ field: error.field, message: error.problem });
    return EMPTY_LAYER;
  }
}
