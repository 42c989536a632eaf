import protobuf from 'protobufjs';
import { StreamError } from '../stream-error.js';

/** A condition on a text; the forms of envoy.type.matcher.v3.StringMatcher without regular expressions. */
export interface TextMatcher {
  readonly form: 'exact' | 'prefix' | 'suffix' | 'contains';
  readonly text: string;
  readonly ignoresCase: boolean;
}

/** Conditions on a node. All of them must hold. */
export interface NodeMatcher {
  readonly id?: TextMatcher;
  readonly metadata: readonly { readonly path: readonly string[]; readonly value: TextMatcher }[];
}

/** The fields of an envoy.service.status.v3.ClientStatusRequest. */
export interface ClientStatusRequest {
  /** One of them must hold; without any, all nodes are meant. */
  readonly matchers: readonly NodeMatcher[];
  readonly excludesContents: boolean;
}

const MAX_MATCHERS = 100;
/** Of all matchers together. A message of megabytes has a million of them, or a million conditions in one. */
const MAX_MATCHER_BYTES = 65_536;

/** Of the message, and of each message in it. */
const MAX_FIELDS = 1_000;

/** @throws StreamError INVALID_ARGUMENT */
export function readClientStatusRequest(bytes: Buffer): ClientStatusRequest {
  try {
    const matchers: NodeMatcher[] = [];
    let matcherBytes = 0;
    let excludesContents = false;
    readFields(bytes, {
      10: (reader) => {
        const matcher = reader.bytes();
        matcherBytes += matcher.length;
        if (matchers.length >= MAX_MATCHERS) throw unsupported(`node_matchers has more than ${MAX_MATCHERS} items`);
        if (matcherBytes > MAX_MATCHER_BYTES) {
          throw unsupported(`node_matchers has more than ${MAX_MATCHER_BYTES} bytes`);
        }
        matchers.push(readNodeMatcher(matcher));
      },
      24: (reader) => {
        excludesContents = reader.bool();
      },
    });
    return { matchers, excludesContents };
  } catch (cause) {
    if (cause instanceof StreamError) throw cause;
    throw new StreamError('INVALID_ARGUMENT', 'the message is not a ClientStatusRequest', { cause });
  }
}

type FieldReaders = Readonly<Record<number, (reader: protobuf.Reader) => void>>;

/** Reads the fields with these tags, and skips the others: the node of the caller is one of them. */
function readFields(bytes: Uint8Array, fields: FieldReaders): void {
  const reader = protobuf.Reader.create(bytes);
  for (let count = 1; reader.pos < reader.len; count++) {
    if (count > MAX_FIELDS) throw unsupported(`it, or a matcher, has more than ${MAX_FIELDS} fields`);
    const tag = reader.uint32();
    const read = fields[tag];
    if (read === undefined) reader.skipType(tag & 7);
    else read(reader);
  }
}

function readNodeMatcher(bytes: Uint8Array): NodeMatcher {
  let id: TextMatcher | undefined;
  const metadata: NodeMatcher['metadata'][number][] = [];
  readFields(bytes, {
    10: (reader) => {
      id = readTextMatcher(reader.bytes(), 'node_id');
    },
    18: (reader) => metadata.push(readStructMatcher(reader.bytes())),
  });
  return { metadata, ...(id === undefined ? {} : { id }) };
}

function readStructMatcher(bytes: Uint8Array): NodeMatcher['metadata'][number] {
  const path: string[] = [];
  let value: TextMatcher | undefined;
  readFields(bytes, {
    18: (reader) => readFields(reader.bytes(), { 10: (segment) => path.push(segment.string()) }),
    26: (reader) =>
      readFields(reader.bytes(), {
        // ValueMatcher.string_match
        26: (matcher) => {
          value = readTextMatcher(matcher.bytes(), 'node_metadatas');
        },
      }),
  });
  if (value === undefined) throw unsupported('node_metadatas supports the value string_match only');
  return { path, value };
}

const FORMS = [
  [0x0a, 'exact'],
  [0x12, 'prefix'],
  [0x1a, 'suffix'],
  [0x3a, 'contains'],
] as const;

function readTextMatcher(bytes: Uint8Array, field: string): TextMatcher {
  let matcher: Pick<TextMatcher, 'form' | 'text'> | undefined;
  let ignoresCase = false;
  readFields(bytes, {
    ...Object.fromEntries(
      FORMS.map(([tag, form]) => [
        tag,
        (reader: protobuf.Reader) => {
          matcher = { form, text: reader.string() };
        },
      ]),
    ),
    48: (reader: protobuf.Reader) => {
      ignoresCase = reader.bool();
    },
  });
  if (matcher === undefined) throw unsupported(`${field} supports exact, prefix, suffix and contains`);
  return { ...matcher, ignoresCase };
}

function unsupported(reason: string): StreamError {
  return new StreamError('INVALID_ARGUMENT', `the ClientStatusRequest cannot be answered: ${reason}`);
}
