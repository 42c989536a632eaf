import { Liquid } from 'liquidjs';
import { podFilters } from './pod-filters.js';
import type { TemplateLimits } from './template-limits.js';
import { textFilters, textOf } from './text-filters.js';

/** Tags that read further templates, of which there are none. */
const FILE_TAGS = ['include', 'render', 'layout', 'block'];
const DEPTH = 'navigator.renderDepth';

/**
 * A Liquid engine that has nothing within reach but the data it is given: no files, no prototypes, and of the
 * environment only what `environment` says.
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
    readEnvironment(environment, textOf(name), otherwise),
  );
  registerRender(engine, limits);
  return engine;
}

/** `{{ 'NAME' | env: 'default' }}`. Nothing of the process's own environment: it may hold what no pod may know. */
function readEnvironment(environment: Readonly<Record<string, string>>, name: string, otherwise: unknown): unknown {
  if (Object.hasOwn(environment, name)) return environment[name];
  if (otherwise !== undefined) return otherwise;
  const known = Object.keys(environment);
  const choice = known.length === 0 ? 'templates are given no variables' : `templates are given ${known.join(', ')}`;
  throw new Error(`env: ${name}: ${choice}; write a default: {{ '${name}' | env: '…' }}`);
}

/** `{{ Values.text | render }}`: a text as a template of its own, with the same data. */
function registerRender(engine: Liquid, { renderDepth }: TemplateLimits): void {
  engine.registerFilter('render', function (value: unknown) {
    // Kept with the rendering, not here: one that is stopped does not count down.
    const depth = this.context.getRegister(DEPTH, 0);
    if (depth >= renderDepth) throw new Error(`render: ${renderDepth} templates within one another are the most`);
    const text = textOf(value);
    this.context.memoryLimit.use(text.length);
    this.context.setRegister(DEPTH, depth + 1);
    const rendered: unknown = engine.renderSync(engine.parse(text), this.context);
    this.context.setRegister(DEPTH, depth);
    return rendered;
  });
}
