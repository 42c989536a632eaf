import fc from './property-testing.js';

/** Some octets of a valid one are others, missing, doubled, or of something else. */
export function mutated(valid: Buffer): fc.Arbitrary<Buffer> {
  const at = fc.nat(valid.length - 1);
  const edit = fc.oneof(
    fc.tuple(at, fc.nat(255)).map(([index, octet]) => (octets: Buffer) => {
      const copy = Buffer.from(octets);
      if (index < copy.length) copy.writeUInt8(octet, index);
      return copy;
    }),
    at.map((end) => (octets: Buffer) => octets.subarray(0, end)),
    fc.tuple(at, fc.uint8Array({ maxLength: 8 })).map(([index, more]) => (octets: Buffer) => {
      return Buffer.concat([octets.subarray(0, index), more, octets.subarray(index)]);
    }),
    fc.tuple(at, fc.nat(40)).map(([index, length]) => (octets: Buffer) => {
      return Buffer.concat([octets.subarray(0, index), octets.subarray(index + length)]);
    }),
  );
  return fc
    .array(edit, { minLength: 1, maxLength: 4 })
    .map((edits) => edits.reduce((octets, each) => each(octets), valid));
}

/** Text of PEM with something wrong about its lines. */
export function mangled(text: string): fc.Arbitrary<string> {
  const pieces = ['-----', 'BEGIN ', 'END ', '\n', '=', 'CERTIFICATE', ' REQUEST', 'PRIVATE KEY', '\0', 'é', 'AAAA'];
  return fc
    .array(fc.tuple(fc.nat(text.length), fc.nat(12), fc.constantFrom(...pieces)), { minLength: 1, maxLength: 5 })
    .map((edits) =>
      edits.reduce((known, [at, cut, piece]) => known.slice(0, at) + piece + known.slice(at + cut), text),
    );
}
