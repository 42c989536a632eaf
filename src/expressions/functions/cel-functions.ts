import { ARITHMETIC } from './arithmetic.js';
import { CONVERSIONS } from './conversions.js';
import { type ExpressionFunction, valueFunction, valueMethod } from './expression-function.js';
import { SHARED_FUNCTIONS } from './shared-functions.js';
import { TEXT_METHODS } from './text-methods.js';
import { TIME_METHODS } from './time-methods.js';

const sizeOfList = {
  name: 'size',
  parameters: [{ element: undefined }],
  result: 'INT64',
  run: (list: readonly unknown[]) => BigInt(list.length),
} as const;

/** Operators and functions of CEL, also of the language `compat`. */
export const CEL_FUNCTIONS: readonly ExpressionFunction[] = [
  ...SHARED_FUNCTIONS,
  ...ARITHMETIC,
  ...CONVERSIONS,
  ...TEXT_METHODS,
  ...TIME_METHODS,
  valueFunction('!', ['BOOL'], 'BOOL', (value) => !value),
  valueFunction('size', ['STRING'], 'INT64', countCharacters),
  valueMethod('size', ['STRING'], 'INT64', countCharacters),
  valueFunction('size', ['STRING_MAP'], 'INT64', (map) => BigInt(map.size)),
  valueMethod('size', ['STRING_MAP'], 'INT64', (map) => BigInt(map.size)),
  { ...sizeOfList, isMethod: false },
  { ...sizeOfList, isMethod: true },
];

/** CEL counts code points. */
function countCharacters(text: string): bigint {
  let count = 0n;
  for (const _ of text) count++;
  return count;
}
