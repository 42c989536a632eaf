import type { Environment } from '../../bootstrap/environment.js';
import { scalarType, type ValueType } from './parsed.js';
import { parseWord } from './scalar-types.js';

type Language = Environment['meshLang'];

const LANGUAGES: readonly Language[] = ['legacy', 'compat', 'cel'];

/** A language of expressions; an empty text is `legacy`. */
export const expressionLanguage: ValueType<Language> = scalarType('string', (value) =>
  parseWord(LANGUAGES, value === '' ? 'legacy' : value),
);
