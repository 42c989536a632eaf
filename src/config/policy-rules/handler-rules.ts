import { firstViolations } from '../policy/limits.js';
import type { ObjectRegexes } from '../policy/object-regexes.js';
import type { SchemaCompiler, SchemaReader } from '../schema/schema-reader.js';
import { joinPath, type Violation } from '../violation.js';
import { canonicalFields } from './catalogue/canonical-fields.js';
import type { CompiledAdapter } from './catalogue/compiled-adapter.js';
import { COMPILED_ADAPTERS } from './catalogue/compiled-adapters.js';
import { validateConnection } from './connection-rules.js';
import type { HandlerSpec } from './handler.js';
import { nameRemedy } from './instance-rules.js';

/** Rules of a handler that its schema cannot express, and the form of its parameters. */
export interface HandlerRules {
  validate(spec: HandlerSpec): readonly Violation[];
  /** The parameters of a valid handler of a built-in adapter with defaults, in lowerCamelCase. */
  reduce(spec: HandlerSpec): HandlerSpec;
}

/** @param regexes makes the check of the regular expressions of one object */
export function createHandlerRules(compiler: SchemaCompiler, regexes: () => ObjectRegexes): HandlerRules {
  const readers = new Map<string, SchemaReader<unknown>>();
  const read = ({ name, schema }: CompiledAdapter, params: unknown) => {
    // Made at first use: most meshes use few adapters.
    const reader: SchemaReader<unknown> = readers.get(name) ?? compiler.compile(schema, 'reported');
    readers.set(name, reader);
    return reader.read(canonicalFields(schema, params));
  };
  return {
    validate: (spec) =>
      firstViolations(
        (function* () {
          yield* connectionViolations(spec);
          const { compiledAdapter, params } = spec;
          if (compiledAdapter === undefined) return;
          const adapter = COMPILED_ADAPTERS.get(compiledAdapter);
          if (adapter === undefined) {
            const remedy = nameRemedy(compiledAdapter, COMPILED_ADAPTERS.keys(), 'adapter');
            yield { path: 'compiledAdapter', value: compiledAdapter, message: 'is not a built-in adapter', remedy };
            return;
          }
          const result = read(adapter, params);
          yield* below(result.unknownFields);
          if (result.type === 'invalid') yield* below(result.violations);
          else yield* below(adapter.validate?.(result.value, regexes()) ?? []);
        })(),
      ),
    reduce: (spec) => {
      const adapter = COMPILED_ADAPTERS.get(spec.compiledAdapter ?? '');
      const result = adapter && read(adapter, spec.params);
      if (result?.type !== 'valid') return spec;
      return { ...spec, params: result.value as HandlerSpec['params'] };
    },
  };
}

function* below(violations: Iterable<Violation>): Iterable<Violation> {
  for (const violation of violations) yield { ...violation, path: joinPath('params', violation.path) };
}

function* connectionViolations({ compiledAdapter, connection }: HandlerSpec): Iterable<Violation> {
  if (compiledAdapter !== undefined && connection !== undefined) {
    yield {
      path: 'connection',
      message: `is set, but ${compiledAdapter} is built in`,
      remedy: 'remove it, or name an adapter of your own in adapter',
    };
  }
  if (compiledAdapter === undefined && connection === undefined) {
    yield {
      path: 'connection',
      message: 'is missing',
      remedy: 'add connection.address: an adapter of your own runs as a program of its own',
    };
  }
  yield* validateConnection('connection', connection);
}
