import test from 'ava';
import { inOneStep } from '../../../src/base/steps.js';
import type { EncodedResource } from '../../../src/envoy/encoded-resource.js';
import {
  createResourceSet,
  diffResourceSets,
  EMPTY_RESOURCE_SET,
  joinResourceSets,
  type ResourceSet,
} from '../../../src/envoy/resource-set.js';
import { createClaimReader } from '../../../src/xds/delta/claimed-resources.js';
import { readDeltaRequest } from '../../../src/xds/delta/delta-request-wire.js';
import { deltaRequest } from './delta-messages.js';

const NO_BYTES = Buffer.alloc(0);

function setOf(versions: Readonly<Record<string, string>>): ResourceSet {
  const resources: EncodedResource[] = Object.entries(versions).map(([name, version]) => ({
    ...{ name, version, entry: NO_BYTES },
  }));
  return createResourceSet(resources);
}

const encode = (versions: Readonly<Record<string, string>>) =>
  readDeltaRequest(deltaRequest({ versions }), () => 1_000_000).versions;

/** Reads claims of one server. */
function createServer(isAsked: (name: string) => boolean = () => true) {
  const reader = createClaimReader();
  return (versions: Readonly<Record<string, string>>, expected: ResourceSet) =>
    inOneStep(reader.read({ encoded: encode(versions), expected, isAsked }));
}

const versionsOf = ({ resources }: ResourceSet) => resources.map(({ name, version }) => `${name}=${version}`);
const SHARED = setOf({ a: '1', b: '1', c: '1' });
const OWN = setOf({ inbound: '7' });

test('a proxy that has everything has the very set, in whatever order it says so', (t) => {
  const claim = createServer();
  const expected = joinResourceSets([SHARED, OWN]);
  t.is(claim({ inbound: '7', c: '1', a: '1', b: '1' }, expected), expected);
  t.is(claim({ b: '1', a: '1', c: '1' }, SHARED), SHARED);
});

test('proxies that differ in the same way share what they have, whatever else they have', (t) => {
  const claim = createServer();
  const others = [setOf({ first: '1' }), setOf({ second: '2' })] as const;
  const [one, two] = [
    claim({ first: '1', c: '1', a: '0', gone: '5' }, joinResourceSets([SHARED, others[0]])),
    claim({ gone: '5', a: '0', second: '2', c: '1' }, joinResourceSets([SHARED, others[1]])),
  ];
  t.deepEqual(versionsOf(one), ['a=0', 'c=1', 'first=1', 'gone=5']);
  t.is(one.parts[0], two.parts[0]);
  t.is(one.parts[1], others[0]);
  t.is(two.parts[1], others[1]);
  const differs = claim({ c: '1', a: '9', gone: '5', first: '1' }, joinResourceSets([SHARED, others[0]]));
  t.deepEqual(versionsOf(differs), ['a=9', 'c=1', 'first=1', 'gone=5']);
});

test('a missing, another and an unknown resource are differences', (t) => {
  const claimed = createServer()({ c: '1', a: '10', x: '1' }, SHARED);
  const { changed, removed } = diffResourceSets(claimed, SHARED);
  t.deepEqual(
    changed.map(({ name }) => name),
    ['a', 'b'],
  );
  t.deepEqual(removed, ['x']);
});

test('names that the proxy does not subscribe to are left out', (t) => {
  t.is(createServer((name) => name !== 'x')({ a: '1', b: '1', c: '1', x: '1' }, SHARED), SHARED);
});

test('the last version of a repeated name counts', (t) => {
  const reader = createClaimReader();
  const read = (...versions: readonly Readonly<Record<string, string>>[]) => {
    const encoded = Buffer.concat(versions.map(encode));
    return inOneStep(reader.read({ encoded, expected: SHARED, isAsked: () => true }));
  };
  t.is(read({ a: '0', b: '1' }, { a: '1', c: '1' }), SHARED);
  t.deepEqual(versionsOf(read({ a: '1', b: '1' }, { a: '0', c: '1' })), ['a=0', 'b=1', 'c=1']);
});

test('a server without resources removes everything', (t) => {
  for (const expected of [EMPTY_RESOURCE_SET, joinResourceSets([])]) {
    t.deepEqual(versionsOf(createServer()({ b: '1', a: '2' }, expected)), ['a=2', 'b=1']);
  }
});

test('an entry is recognised however the proxy encodes it', (t) => {
  const expected = setOf({ a: '1', b: '1' });
  // As map entries may be: the version first, the version alone, and a length in more bytes than it needs.
  const versionFirst = Buffer.from('2a06120131', 'hex');
  const entries = [
    Buffer.concat([versionFirst, Buffer.from('0a0161', 'hex')]),
    Buffer.from('2a86000a0162120131', 'hex'),
  ];
  const read = (encoded: Buffer) => inOneStep(createClaimReader().read({ encoded, expected, isAsked: () => true }));
  t.is(read(Buffer.concat(entries)), expected);
  t.deepEqual(versionsOf(read(Buffer.concat([...entries, Buffer.from('2a060a016112' + '0132', 'hex')]))), [
    'a=2',
    'b=1',
  ]);
  t.throws(() => read(Buffer.from('2a7f0a0161', 'hex')), { instanceOf: RangeError });
  t.throws(() => read(Buffer.from('2a', 'hex')), { instanceOf: RangeError });
});

test('the last version of a name counts', (t) => {
  const claim = (...versions: Readonly<Record<string, string>>[]) =>
    versionsOf(
      inOneStep(
        createClaimReader().read({
          encoded: Buffer.concat(versions.map(encode)),
          expected: SHARED,
          isAsked: () => true,
        }),
      ),
    );
  t.deepEqual(claim({ a: '2', b: '1', c: '1' }, { a: '1' }), ['a=1', 'b=1', 'c=1']);
  t.deepEqual(claim({ a: '1', b: '1', c: '1' }, { a: '2' }), ['a=2', 'b=1', 'c=1']);
});

test('resources of the same version are told apart by their names', (t) => {
  const version = 'x'.repeat(16);
  const expected = setOf({ 'one-service': version, 'two-service': version });
  const claim = createServer();
  t.deepEqual(versionsOf(claim({ 'two-service': version }, expected)), [`two-service=${version}`]);
  t.deepEqual(versionsOf(claim({ 'six-service': version }, expected)), [`six-service=${version}`]);
});
