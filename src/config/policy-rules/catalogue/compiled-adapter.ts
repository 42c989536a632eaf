import type { TSchema } from 'typebox';
import type { ObjectRegexes } from '../../policy/object-regexes.js';
import type { Violation } from '../../violation.js';

/** A parameter that has no effect in this mesh. */
export interface IdleParameter {
  /** Below `params`. */
  readonly path: string;
  /** Why, as a sentence without its subject. */
  readonly reason: string;
}

/** A parameter that names an instance. */
export interface InstanceName {
  /** Below `params`. */
  readonly path: string;
  /** As written: `requests`, or `requests.instance.shop`. */
  readonly reference: string;
  /** The dimensions of the instance that parameters name. Default: none. */
  readonly dimensions?: readonly NamedDimension[];
}

/** A dimension of an instance that a parameter names. */
export interface NamedDimension {
  /** Below `params`. */
  readonly path: string;
  readonly name: string;
  /** What follows if the instance does not have it, as a sentence. */
  readonly effect: string;
}

/** A built-in adapter. @typeParam Params its parameters, with defaults */
export interface CompiledAdapter<Params = unknown> {
  readonly name: string;
  /** The templates whose instances it takes. `all`: each template. */
  readonly templates: readonly string[] | 'all';
  readonly schema: TSchema;
  /** Checks what the schema cannot express. Paths are below `params`. Default: nothing. */
  validate?(params: Params, regexes: ObjectRegexes): Iterable<Violation>;
  /** Parameters that are set and have no effect. Default: none. */
  idle?(params: Params): readonly IdleParameter[];
  /** The instances that its parameters name. Default: none. */
  instanceNames?(params: Params): readonly InstanceName[];
  /** Present if the whole adapter has no effect in this mesh, as a sentence without its subject. */
  readonly withoutEffect?: string;
}
