/** Limits of a message: it stays readable in a table, and the API server accepts it. */
const MAX_SHOWN = 3;
const MAX_CHARACTERS = 1024;

/** The first few texts, and the number of the others. */
export function listed(texts: readonly string[]): string {
  const shown = texts.slice(0, MAX_SHOWN).map((text) => shorten(withoutPeriod(text)));
  const rest = texts.length - shown.length;
  return [...shown, ...(rest > 0 ? [`and ${rest} more`] : [])].join('; ');
}

/** Makes each text a sentence: with a capital letter, unless it begins with a name, and a period. */
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

/** Names of workloads, hosts and fields contain dots or slashes, so they stay as they are. */
function capitalized(text: string): string {
  const [word = ''] = text.split(' ');
  return /^[a-z]+$/.test(word) ? text.charAt(0).toUpperCase() + text.slice(1) : text;
}
