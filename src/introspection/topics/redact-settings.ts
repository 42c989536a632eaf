const REDACTED = '[redacted]';

/** Names of variables and flags whose values are credentials, or have some, as OTEL_EXPORTER_OTLP_HEADERS. */
const SECRET_NAME =
  /TOKEN|SECRET|PASSW|PASSPHRASE|CREDENTIAL|PRIVATE|COOKIE|API_?KEY|ACCESS_?KEY|AUTH(?!_|N|Z)|_PAT$|_KEY$|^KEY$|[-_]HEADERS$|[-_]DSN$|CONNECTION_?STRING/i;

/** Values that only name a file or switch something. */
const HARMLESS = /^(?:true|false|\d{0,6}|\.{0,2}\/[\w./-]*)$/;

/** A value without its secrets: all of it where the name says so, and passwords in URLs. */
export function redactValue(name: string, value: string): string {
  if (SECRET_NAME.test(name) && !HARMLESS.test(value)) return REDACTED;
  return redactUrls(value);
}

/** The command line without secrets: values of flags whose names say so, and passwords in URLs. */
export function redactArguments(words: readonly string[]): readonly string[] {
  return words.map((word, index) => {
    const assigned = /^(--?[^=]+)=(.*)$/s.exec(word);
    if (assigned !== null) return `${assigned[1]}=${redactValue(assigned[1] ?? '', assigned[2] ?? '')}`;
    const before = words[index - 1] ?? '';
    if (before.startsWith('-') && !before.includes('=') && !word.startsWith('-')) return redactValue(before, word);
    return redactUrls(word);
  });
}

function redactUrls(text: string): string {
  return text.replace(/(\b[a-z][a-z0-9+.-]*:\/\/)[^/\s@]+@/gi, `$1${REDACTED}@`);
}
