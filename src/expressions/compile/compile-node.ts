import type { RegexPrograms } from '../../config/regex/regex-programs.js';
import type { EntryNode, TypedNode } from '../check/typed-tree.js';
import type { Failure } from '../values/failure.js';
import { compileApplication, compileWithConstant } from './compile-application.js';
import {
  type Absence,
  compileAttribute,
  compileEntry,
  compileNamedEntry,
  compilePresence,
} from './compile-attribute.js';
import { compileElement, compileList, compileMacro, compileMap } from './compile-collections.js';
import { compileCommutativeLogic, compileConditional, compileOrderedLogic } from './compile-logic.js';
import { compileComputedMatch, compileLiteralMatch } from './compile-matches.js';
import { compileTextComparison } from './compile-text-comparison.js';
import { type EvaluateNode, MISSING } from './evaluate-node.js';

export interface CompileContext {
  /** `cel`: also of the language `compat`. */
  readonly semantics: 'legacy' | 'cel';
  readonly programs: RegexPrograms;
}

/** Compiles a part whose value is needed. */
export function compileNode(node: TypedNode, context: CompileContext): EvaluateNode {
  const compile = (part: TypedNode): EvaluateNode => compileNode(part, context);
  const isCel = context.semantics === 'cel';
  const compileLogic = isCel ? compileCommutativeLogic : compileOrderedLogic;
  switch (node.kind) {
    case 'constant': {
      const { value } = node;
      return () => value;
    }
    case 'attribute':
      return compileAttribute(node, isCel ? 'default' : 'fails');
    case 'variable': {
      const { slot } = node;
      return (_bag, { slots }) => slots[slot] ?? MISSING;
    }
    case 'entry':
      return compileEntryOf(node, compile, isCel ? undefined : '');
    case 'and':
      return compileLogic(false, compile(node.left), compile(node.right));
    case 'or':
      return compileLogic(true, compile(node.left), compile(node.right));
    case 'conditional':
      return compileConditional(compile(node.condition), compile(node.ifTrue), compile(node.ifFalse));
    case 'first':
      return compileFirst([
        ...node.choices.slice(0, -1).map((choice) => compileChoice(choice, context)),
        ...node.choices.slice(-1).map(compile),
      ]);
    case 'presence':
      return compilePresence(node.of, compile);
    case 'apply':
      return (
        compileTextComparison(node, isCel ? 'default' : 'fails') ??
        compileWithConstant(node.run, node.parameters, compile) ??
        compileApplication(node.run, node.parameters.map(compile))
      );
    case 'matches': {
      const { pattern } = node;
      return pattern.kind === 'constant' && typeof pattern.value === 'string'
        ? compileLiteralMatch(compile(node.text), pattern.value, context.programs)
        : compileComputedMatch(compile(node.text), compile(pattern), context.programs);
    }
    case 'list':
      return compileList(node.elements.map(compile));
    case 'map':
      return compileMap(node.entries.map(([key, value]) => [compile(key), compile(value)]));
    case 'element':
      return compileElement(compile(node.list), compile(node.index));
    case 'macro': {
      const { macro, slot, nodes, predicate, transform } = node;
      return compileMacro(compile(node.range), {
        macro,
        slot,
        nodes,
        predicate: predicate && compile(predicate),
        transform: transform && compile(transform),
      });
    }
  }
}

/**
 * Compiles a part before `|`. Its result is `MISSING` if the request lacks its attribute or entry, but not if the request lacks
 * an attribute that a function or operator in it needs.
 */
function compileChoice(node: TypedNode, context: CompileContext): EvaluateNode {
  switch (node.kind) {
    case 'attribute':
      return compileAttribute(node, absenceBeforeDefault(node.name, context));
    case 'entry':
      return compileEntryChoice(node, context);
    case 'first':
      return compileFirst(node.choices.map((choice) => compileChoice(choice, context)));
    default:
      return compileNode(node, context);
  }
}

/** CEL tests the presence of fields only, and a name without a dot is no field: it always has a value. */
function absenceBeforeDefault(name: string, { semantics }: CompileContext): Absence {
  return semantics === 'cel' && !name.includes('.') ? 'default' : 'missing';
}

function compileEntryChoice({ map, key }: EntryNode, context: CompileContext): EvaluateNode {
  const compile = context.semantics === 'cel' ? compileNode : compileChoice;
  return compileEntryOf({ map, key }, (part) => compile(part, context), MISSING);
}

function compileEntryOf(
  { map, key }: Pick<EntryNode, 'map' | 'key'>,
  compile: (part: TypedNode) => EvaluateNode,
  onMissingKey: '' | Failure | undefined,
): EvaluateNode {
  return key.kind === 'constant' && typeof key.value === 'string'
    ? compileNamedEntry(compile(map), key.value, onMissingKey)
    : compileEntry(compile(map), compile(key), onMissingKey);
}

function compileFirst(choices: readonly EvaluateNode[]): EvaluateNode {
  const [first, second] = choices;
  if (first !== undefined && second !== undefined && choices.length === 2) {
    return (bag, frame) => {
      const value = first(bag, frame);
      return value === MISSING ? second(bag, frame) : value;
    };
  }
  return (bag, frame) => {
    for (const choice of choices) {
      const value = choice(bag, frame);
      if (value !== MISSING) return value;
    }
    return MISSING;
  };
}
