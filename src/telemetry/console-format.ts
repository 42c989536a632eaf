/** A log line parsed from JSON. */
export type LogRecord = Readonly<Record<string, unknown>>;

const LEVEL_COLORS: Readonly<Record<string, number>> = { debug: 90, info: 36, warn: 33, error: 31, fatal: 35 };

/** Fields that formatConsole places itself. */
const PLACED: ReadonlySet<string> = new Set(['time', 'level', 'scope', 'msg', 'stack', 'caller']);

/**
 * Console form of one record: `time  level  scope  message  key=value …`, with the caller after the scope. A stack
 * trace follows on lines of its own.
 */
export function formatConsole(record: LogRecord, colored: boolean): string {
  const paint = (code: number, text: string) => (colored ? `\u001b[${code}m${text}\u001b[0m` : text);
  const level = String(record['level'] ?? '');
  const caller = record['caller'] === undefined ? [] : [paint(90, printable(String(record['caller'])))];
  const fields = Object.entries(record)
    .filter(([key]) => !PLACED.has(key))
    .map(([key, value]) => `${paint(90, `${printable(key)}=`)}${formatValue(value)}`);
  const columns = [
    paint(90, String(record['time'] ?? '')),
    paint(LEVEL_COLORS[level] ?? 0, level.padEnd(5)),
    String(record['scope'] ?? ''),
    ...caller,
    printable(String(record['msg'] ?? '')),
  ];
  const stack = typeof record['stack'] === 'string' ? `\n${indent(record['stack'])}` : '';
  return `${columns.join('  ')}${fields.length === 0 ? '' : `  ${fields.join(' ')}`}${stack}\n`;
}

/**
 * Without quotes if that is unambiguous, otherwise JSON. An error is shown as its message; the JSON format has its
 * other fields.
 */
function formatValue(value: unknown): string {
  if (typeof value === 'string') {
    return /^[\w.:/@|*+~-]+$/.test(value) ? value : printable(JSON.stringify(value));
  }
  if (isLoggedError(value)) {
    return printable(JSON.stringify(value.cause === undefined ? value.message : `${value.message}: ${value.cause}`));
  }
  return printable(JSON.stringify(value) ?? 'undefined');
}

function isLoggedError(value: unknown): value is { readonly message: string; readonly cause?: string } {
  return typeof value === 'object' && value !== null && 'type' in value && 'message' in value;
}

/** Escapes control characters, so that text of peers cannot start a line or control the terminal. */
function printable(text: string): string {
  return text.replaceAll(
    // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is taken out here.
    /[\u0000-\u001f\u007f-\u009f\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function indent(stack: string): string {
  return stack
    .split('\n')
    .map((line) => `    ${printable(line.trim())}`)
    .join('\n');
}
