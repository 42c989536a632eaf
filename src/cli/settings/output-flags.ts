import { oneOf } from '../values/scalar-types.js';
import type { FlagTable } from './setting.js';

/** The values of the flags that say how a command prints its answer. */
export interface OutputFlags {
  readonly output: 'text' | 'json';
  readonly color: 'auto' | 'always' | 'never';
}

export const outputFlags: FlagTable<OutputFlags> = {
  output: {
    name: 'output',
    shorthand: 'o',
    type: oneOf(['text', 'json']),
    default: 'text',
    meaning: 'text for people, json for programs',
    addition: true,
  },
  color: {
    name: 'color',
    type: oneOf(['auto', 'always', 'never']),
    default: 'auto',
    meaning: 'Colours: auto uses them on a terminal, unless NO_COLOR is set',
    addition: true,
  },
};
