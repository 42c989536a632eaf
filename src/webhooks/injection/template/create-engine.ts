import { Liquid } from 'liquidjs';
import { podFilters } from './pod-filters.js';
import { textFilters, toText } from './text-filters.js';

/** Limits of a template for one pod. An ordinary template takes a few milliseconds. */
export interface TemplateLimits {
  /** Characters of a template, and of texts that it renders with the filter `render`. */
  readonly templateCharacters: number;
  /** Time of one rendering in milliseconds, after which it is interrupted. */
  readonly renderMs: number;
  /** Characters and items that filters create. */
  readonly memory: number;
  readonly outputCharacters: number;
  /** Nesting of the filter `render`. */
  readonly renderDepth: number;
}

export const TEMPLATE_LIMITS: TemplateLimits = {
  templateCharacters: 1024 * 1024,
  renderMs: 1000,
  memory: 16 * 1024 * 1024,
  outputCharacters: 1024 * 1024,
  renderDepth: 4,
};

/** Tags that read template files, which are removed. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'];
const DEPTH = 'navigator.renderDepth';

/**
 * A Liquid engine that can access only its data: no files, no prototypes, and no variables of the process beyond
 * `environment`.
 */
export function createEngine(limits: TemplateLimits, environment: Readonly<Record<string, string>>): Liquid {
  const engine = new Liquid({
    templates: {},
    relativeReference: false,
    ownPropertyOnly: true,
    strictFilters: true,
    strictVariables: true,
    lenientIf: true,
    orderedFilterParameters: true,
    parseLimit: limits.templateCharacters,
    renderLimit: limits.renderMs,
    memoryLimit: limits.memory,
  });
  for (const tag of FILE_TAGS) delete engine.tags[tag];
  for (const [name, filter] of Object.entries({ ...textFilters, ...podFilters })) engine.registerFilter(name, filter);
  engine.registerFilter('env', (name: unknown, otherwise: unknown) =>
    readEnvironment(environment, toText(name), otherwise),
  );
  registerRender(engine, limits);
  return engine;
}

/** `{{ 'NAME' | env: 'default' }}`. The environment of the process is not readable: it may contain secrets. */
function readEnvironment(environment: Readonly<Record<string, string>>, name: string, otherwise: unknown): unknown {
  if (Object.hasOwn(environment, name)) return environment[name];
  if (otherwise !== undefined) return otherwise;
  const known = Object.keys(environment);
  const choice =
    known.length === 0 ? 'templates have no variables' : `templates have the variables ${known.join(', ')}`;
  throw new Error(`env: ${name}: ${choice}; write a default: {{ '${name}' | env: '…' }}`);
}

/** `{{ Values.text | render }}`: renders a text as a template with the same data. */
function registerRender(engine: Liquid, { renderDepth }: TemplateLimits): void {
  engine.registerFilter('render', function (value: unknown) {
    // The depth is part of the rendering, because an interrupted rendering does not count down.
    const depth = this.context.getRegister(DEPTH, 0);
    if (depth >= renderDepth) throw new Error(`render: templates are nested deeper than ${renderDepth} levels`);
    const text = toText(value);
    this.context.memoryLimit.use(text.length);
    this.context.setRegister(DEPTH, depth + 1);
    const rendered: unknown = engine.renderSync(engine.parse(text), this.context);
    this.context.setRegister(DEPTH, depth);
    return rendered;
  });
}
