import { redactSecrets } from '../base/redact-secrets.js';

/**
 * A JSON document that is rendered while it is sent, so that a large page neither fills the memory nor blocks the event
 * loop. Lists and records produce their items on demand; any other value is rendered at once. Entries of a record whose
 * value is undefined are left out.
 */
export type JsonSource = null | boolean | number | string | object | JsonList | JsonRecord;

export class JsonList {
  readonly items: Iterable<JsonSource>;
  constructor(items: Iterable<JsonSource>) {
    this.items = items;
  }
}

export class JsonRecord {
  readonly entries: Iterable<readonly [string, JsonSource | undefined]>;
  constructor(entries: Iterable<readonly [string, JsonSource | undefined]>) {
    this.entries = entries;
  }
}

/** Makes a list that converts each item on demand. */
export function listOf<Item>(items: Iterable<Item>, toJson: (item: Item) => JsonSource): JsonList {
  return new JsonList(
    (function* () {
      for (const item of items) yield toJson(item);
    })(),
  );
}

export function recordOf(fields: Readonly<Record<string, JsonSource | undefined>>): JsonRecord {
  return new JsonRecord(Object.entries(fields));
}

/** Pretty-printed text (2 spaces) in pieces, one per plain value. Redacts secrets for all pages. */
export function* jsonPieces(source: JsonSource, indent = ''): Generator<string, void> {
  if (source instanceof JsonList) {
    yield* bracketed('[', ']', indent, itemPieces(source, `${indent}  `));
  } else if (source instanceof JsonRecord) {
    yield* bracketed('{', '}', indent, entryPieces(source, `${indent}  `));
  } else {
    // JSON escapes line breaks in strings, so every line break in the text is one of the formatting.
    yield JSON.stringify(source, redactSecrets, 2).replaceAll('\n', `\n${indent}`);
  }
}

type Part = readonly [head: string, value: JsonSource];

function* itemPieces(list: JsonList, indent: string): Generator<Part> {
  for (const item of list.items) yield [indent, item];
}

function* entryPieces(record: JsonRecord, indent: string): Generator<Part> {
  for (const [key, value] of record.entries) {
    if (value !== undefined) yield [`${indent}${JSON.stringify(key)}: `, value];
  }
}

function* bracketed(open: string, close: string, indent: string, parts: Iterable<Part>): Generator<string, void> {
  let count = 0;
  for (const [head, value] of parts) {
    yield `${count++ === 0 ? `${open}\n` : ',\n'}${head}`;
    yield* jsonPieces(value, `${indent}  `);
  }
  yield count === 0 ? `${open}${close}` : `\n${indent}${close}`;
}
