/** A table of objects stays readable, and the API server takes it. */
const MAX_SHOWN = 3;
const MAX_CHARACTERS = 1024;

/** The first few, and how many more there are. */
export function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_SHOWN).map((text) => shorten(withoutPeriod(text)));
  const rest = texts.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}

/** Makes each a sentence: a capital at its begin unless it begins with a name, a period at its end. */
export function joinSentences(...texts: readonly string[]): string {
  return texts
    .filter((text) => text !== '')
    .map((text) => `${capitalized(withoutPeriod(text))}.`)
    .join(' ');
}

export function shorten(text: string): string {
  const oneLine = text.replace(/\s+/g, ' ').trim();
  return oneLine.length > MAX_CHARACTERS ? `${oneLine.slice(0, MAX_CHARACTERS)}…` : oneLine;
}

function withoutPeriod(text: string): string {
  return text.replace(/\.$/, '');
}

/** Names of workloads, hosts and fields have dots or slashes in them, and are not words. */
function capitalized(text: string): string {
  const [word = ''] = text.split(' ');
  return /^[a-z]+$/.test(word) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
