import test from 'ava';
import protobuf from 'protobufjs';
import { DescriptorError } from '../../../../src/config/policy-rules/descriptors/descriptor-error.js';
import { readDescriptorSet } from '../../../../src/config/policy-rules/descriptors/read-descriptor-set.js';
import { ACCOUNTS } from '../../../support/adapter-descriptors.js';
import fc from '../../../support/property-testing.js';

type Write = (writer: protobuf.Writer) => void;

/** A field with a message or text. */
const field =
  (number: number, content: Write | string): Write =>
  (writer) => {
    if (typeof content === 'string') writer.uint32((number << 3) | 2).string(content);
    else {
      writer.uint32((number << 3) | 2).fork();
      content(writer);
      writer.ldelim();
    }
  };
const all =
  (...writes: readonly Write[]): Write =>
  (writer) => {
    for (const write of writes) write(writer);
  };

function base64(write: Write): string {
  const writer = protobuf.Writer.create();
  write(writer);
  return Buffer.from(writer.finish()).toString('base64');
}

test('lines may be wrapped', (t) => {
  t.deepEqual(readDescriptorSet(ACCOUNTS.replace(/.{76}/g, '$&\n')), readDescriptorSet(ACCOUNTS));
});

function nested(levels: number): Write {
  return all(field(1, 'M'), levels === 1 ? () => undefined : field(3, nested(levels - 1)));
}

const REFUSED: Readonly<Record<string, readonly [descriptor: string, message: string]>> = {
  'other text': ['not base64!', 'is not base64'],
  'an incomplete text': [ACCOUNTS.slice(0, -1), 'is not base64'],
  nothing: ['', 'is not a FileDescriptorSet'],
  'bytes of something else': ['QUJD', 'is not a FileDescriptorSet'],
  'a cut message': [ACCOUNTS.slice(0, 400), 'is not a FileDescriptorSet'],
  groups: [Buffer.alloc(9000, 0x0b).toString('base64'), 'is not a FileDescriptorSet'],
  'a name that is no name': [base64(field(1, field(4, field(1, '"]; x')))), 'has the name "\\"]; x"'],
  'a field without a type': [
    base64(field(1, field(4, all(field(1, 'M'), field(2, field(1, 'f')))))),
    'has the field f of an unknown type',
  ],
  'a package that is no name': [base64(field(1, field(2, 'a..b'))), 'has the name "a..b"'],
  'many files': [base64(all(...Array.from({ length: 257 }, () => field(1, field(1, 'f'))))), 'has more than 256 files'],
  'many messages': [
    base64(field(1, all(...Array.from({ length: 10_001 }, (_, at) => field(4, field(1, `M${at}`)))))),
    'has more than 10000 messages and fields',
  ],
  'deep messages': [base64(field(1, field(4, nested(17)))), 'has more than 16 levels of messages'],
};

for (const [title, [descriptor, message]] of Object.entries(REFUSED)) {
  test(`a descriptor is refused: ${title}`, (t) => {
    t.is(t.throws(() => readDescriptorSet(descriptor), { instanceOf: DescriptorError })?.message, message);
  });
}

test('changed bytes of a descriptor are read or refused, and never end otherwise', (t) => {
  const bytes = Buffer.from(ACCOUNTS, 'base64');
  fc.assert(
    fc.property(fc.nat(bytes.length - 1), fc.nat(255), (at, value) => {
      const changed = Buffer.from(bytes);
      changed[at] = value;
      try {
        readDescriptorSet(changed.toString('base64'));
      } catch (error) {
        if (!(error instanceof DescriptorError)) throw error;
      }
    }),
  );
  t.pass();
});
