import { scanClass, scanEscape } from './scan-class.js';

/** Groups that set no flags. */
const PLAIN_GROUP = /^\((?:[^?]|\?(?:P?<[^=!]|:))/;
/** Characters that stand for themselves without a backslash. */
const LITERAL = /^[\w/~\-@:;,=&%#!"' ]$/;

/**
 * The longest text that is in every text of which a part matches the expression; empty if the expression does not show one.
 * Reads what is outside of groups, and gives up on flags, quotations and alternatives there.
 */
export function requiredLiteral(regex: string): string {
  let longest = '';
  let run = '';
  const endRun = (): void => {
    if (run.length > longest.length) longest = run;
    run = '';
  };
  for (let index = 0; index < regex.length; ) {
    const character = regex.charAt(index);
    if (character === '|' || regex.startsWith('\\Q', index)) return '';
    if (LITERAL.test(character)) {
      run += character;
      index++;
    } else if (character === '*' || character === '?' || character === '{') {
      // The last character may be missing.
      run = run.slice(0, -1);
      endRun();
      index += /^\{\d+(?:,\d*)?\}/.exec(regex.slice(index, index + 16))?.[0].length ?? 1;
    } else if (character === '\\' && /^[^\w\s]$/.test(regex.charAt(index + 1))) {
      run += regex.charAt(index + 1);
      index += 2;
    } else {
      endRun();
      const end = endOfItem(regex, index);
      if (end === undefined) return '';
      index = end;
    }
  }
  endRun();
  return longest;
}

/** Index after the class, escape, group or single character that begins at `start`; undefined for a group with flags. */
function endOfItem(regex: string, start: number): number | undefined {
  const character = regex.charAt(start);
  if (character === '[') return scanClass(regex, start, false).end;
  if (character === '\\') return scanEscape(regex, start).end;
  if (character !== '(') return start + 1;
  if (!PLAIN_GROUP.test(regex.slice(start))) return undefined;
  let index = start + 1;
  while (index < regex.length && regex.charAt(index) !== ')') {
    if (regex.startsWith('\\Q', index)) return undefined;
    const end = endOfItem(regex, index);
    if (end === undefined) return undefined;
    index = end;
  }
  return index + 1;
}
