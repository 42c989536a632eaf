import { createHash } from 'node:crypto';
import type { Liquid, Template } from 'liquidjs';
import { errorText } from '../../../base/error-text.js';
import type { InjectionValues } from '../../../config/injection/injection-config.js';
import type { MeshConfig, ProxyConfig } from '../../../config/mesh/mesh-config.js';
import type { Violation } from '../../../config/violation.js';
import { InjectionError } from '../injection-error.js';
import type { JsonMapping, PodSpec } from '../pod.js';
import { createEngine, TEMPLATE_LIMITS, type TemplateLimits } from './create-engine.js';
import { type StopAfter, TimeLimitError } from './stop-after.js';

/**
 * The data of a template (docs/reference/webhooks.md#template-data). Durations are in milliseconds, in fields that end
 * in `Ms`.
 */
export interface TemplateData {
  /** `apiVersion` and `kind` of the pod's workload. */
  readonly TypeMeta: { readonly apiVersion: string; readonly kind: string };
  /** The workload's `name` and `namespace`. */
  readonly DeploymentMeta: { readonly name: string; readonly namespace: string };
  /** Metadata of the pod, with the labels that injection adds. `name` is empty if the pod has only a `generateName`. */
  readonly ObjectMeta: {
    readonly name: string;
    readonly generateName: string;
    readonly namespace: string;
    readonly labels: Readonly<Record<string, string>>;
    readonly annotations: Readonly<Record<string, string>>;
  };
  /** Spec of the pod before any injection. */
  readonly Spec: PodSpec & { readonly containers: readonly JsonMapping[] };
  readonly ProxyConfig: ProxyConfig;
  readonly MeshConfig: MeshConfig;
  /** Content of the file `values`. */
  readonly Values: InjectionValues;
  /** The mesh domain, as in the annotation `sidecar.<mesh domain>/inject`. */
  readonly MeshDomain: string;
}

/** A compiled template. */
export interface CompiledTemplate {
  /** SHA-256 of the template's text in hex, for the status annotation. */
  readonly version: string;
  /**
   * Renders the template for one pod.
   *
   * @throws InjectionError TEMPLATE_FAILED, with the template's line and the remedy
   */
  render(data: TemplateData): string;
}

export interface TemplateCompiler {
  /** @throws InjectionError TEMPLATE_FAILED */
  compile(text: string): CompiledTemplate;
  /** The reason why a text is not a valid template, for the reader of the config file. */
  check(text: string): Violation | undefined;
}

export interface TemplateCompilerOptions {
  readonly stopAfter: StopAfter;
  /** Variables that templates may read with the filter `env`. Default none. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly limits?: TemplateLimits;
}

export function createTemplateCompiler(options: TemplateCompilerOptions): TemplateCompiler {
  const { stopAfter, environment = {}, limits = TEMPLATE_LIMITS } = options;
  const engine = createEngine(limits, environment);

  const compile = (text: string): CompiledTemplate => {
    const templates = guarded(limits, () => stopAfter(limits.renderMs, () => parse(engine, text)));
    return {
      version: createHash('sha256').update(text).digest('hex'),
      render: (data) => {
        const output = guarded(limits, () =>
          stopAfter(limits.renderMs, () => String(engine.renderSync(templates, data))),
        );
        if (output.length <= limits.outputCharacters) return output;
        throw failure(`its output is longer than ${limits.outputCharacters} characters: make it shorter`);
      },
    };
  };

  return {
    compile,
    check: (text) => {
      try {
        compile(text);
        return undefined;
      } catch (error) {
        if (!(error instanceof InjectionError)) throw error;
        return { path: 'template', message: `does not compile: ${error.message}`, remedy: 'correct the template' };
      }
    },
  };
}

function parse(engine: Liquid, text: string): Template[] {
  return engine.parse(text);
}

/** Converts every error of a template to one that rejects the pod. */
function guarded<Result>({ renderMs }: TemplateLimits, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof TimeLimitError) {
      throw failure(`it takes longer than ${renderMs} ms: remove long loops`, error);
    }
    throw failure(explain(error), error);
  }
}

function failure(message: string, cause?: unknown): InjectionError {
  return new InjectionError('TEMPLATE_FAILED', `injection template: ${message}`, cause === undefined ? {} : { cause });
}

const MAX_MESSAGE = 500;

/** Messages of the engine end with the place: `undefined variable: x, line:3, col:7`. */
function explain(error: unknown): string {
  const message = errorText(error).slice(0, MAX_MESSAGE);
  const place = /, line:(\d+), col:(\d+)$/.exec(message);
  const text = place === null ? message : message.slice(0, place.index);
  const where = place === null ? '' : `line ${place[1]}, column ${place[2]}: `;
  return `${where}${text}${remedyFor(text)}`;
}

function remedyFor(text: string): string {
  if (text.startsWith('undefined variable')) return '; correct the name, or give it a default: {{ … | default: … }}';
  if (text.startsWith('undefined filter')) return '; see the filters in the manifests of the injector';
  if (text.includes('limit exceeded')) return '; make the template do less';
  return '';
}
