import type { ExpressionLanguage } from '../expression-types.js';
import { CEL_FUNCTIONS } from './cel-functions.js';
import type { ExpressionFunction } from './expression-function.js';
import { LEGACY_FUNCTIONS } from './legacy-functions.js';

/** The operators and functions of a language. */
export interface FunctionTable {
  /** The variants of a function, by the types of their parameters; empty if there is none with the name. */
  variants(name: string, isMethod: boolean): readonly ExpressionFunction[];
  /** Names of all functions and methods, without operators. */
  names(): Iterable<string>;
}

function createFunctionTable(functions: readonly ExpressionFunction[]): FunctionTable {
  const byName = new Map<string, ExpressionFunction[]>();
  const key = (name: string, isMethod: boolean): string => (isMethod ? `.${name}` : name);
  for (const each of functions) {
    const variants = byName.get(key(each.name, each.isMethod));
    if (variants === undefined) byName.set(key(each.name, each.isMethod), [each]);
    else variants.push(each);
  }
  const names = new Set(functions.map(({ name }) => name).filter((name) => /^[a-z]/i.test(name)));
  return { variants: (name, isMethod) => byName.get(key(name, isMethod)) ?? [], names: () => names };
}

const LEGACY = createFunctionTable(LEGACY_FUNCTIONS);
const CEL = createFunctionTable(CEL_FUNCTIONS);

export function functionsOf(language: ExpressionLanguage): FunctionTable {
  return language === 'legacy' ? LEGACY : CEL;
}
