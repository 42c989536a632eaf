import { createHash } from 'node:crypto';
import type { Liquid, Template } from 'liquidjs';
import type { Violation } from '../../../config/violation.js';
import { InjectionError } from '../injection-error.js';
import { createEngine } from './create-engine.js';
import { type StopAfter, TimeLimitError } from './stop-after.js';
import type { TemplateData } from './template-data.js';
import { TEMPLATE_LIMITS, type TemplateLimits } from './template-limits.js';

/** A template that is ready to render. */
export interface CompiledTemplate {
  /** SHA-256 of its text in hex, which the status annotation tells. */
  readonly version: string;
  /**
   * Renders it for one pod.
   *
   * @throws InjectionError TEMPLATE_FAILED, with the template's line and what to do
   */
  render(data: TemplateData): string;
}

export interface TemplateCompiler {
  /** @throws InjectionError TEMPLATE_FAILED */
  compile(text: string): CompiledTemplate;
  /** What keeps a text from being a template, for the reader of the config file. */
  check(text: string): Violation | undefined;
}

export interface TemplateCompilerOptions {
  readonly stopAfter: StopAfter;
  /** Variables that templates may read by the filter `env`. Default none. */
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

/** Whatever goes wrong in a template is the template's fault, and refuses one pod. */
function guarded<Result>({ renderMs }: TemplateLimits, work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof TimeLimitError) {
      throw failure(`it is not done within ${renderMs} ms: take out loops that do not end soon`, error);
    }
    throw failure(explain(error), error);
  }
}

function failure(message: string, cause?: unknown): InjectionError {
  return new InjectionError('TEMPLATE_FAILED', `injection template: ${message}`, cause === undefined ? {} : { cause });
}

const MAX_MESSAGE = 500;

/** The engine's messages end with the place: `undefined variable: x, line:3, col:7`. */
function explain(error: unknown): string {
  const message = (error instanceof Error ? error.message : String(error)).slice(0, MAX_MESSAGE);
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
