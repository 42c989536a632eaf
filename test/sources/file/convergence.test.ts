import test from 'ava';
import { createKindRegistry } from '../../../src/config/kinds.js';
import { DEFAULT_MESH_DOMAIN } from '../../../src/config/mesh-domain.js';
import { objectKey } from '../../../src/config/object.js';
import { createYamlParser } from '../../../src/config/yaml/parse-document.js';
import type { ObjectChange } from '../../../src/model/object-change.js';
import { createFolderState, type FolderState } from '../../../src/sources/file/folder-state.js';
import { createDocumentReader } from '../../../src/sources/file/read-documents.js';
import fc from '../../support/property-testing.js';
import { serviceEntry } from '../support/folder-harness.js';

const FILES = ['a.yaml', 'b.yaml', 'c/d.yaml'];
const NAMES = ['one', 'two', 'three'];

interface Write {
  readonly file: string;
  readonly documents: readonly { readonly name: string; readonly host: string }[];
  readonly fate: 'good' | 'broken yaml' | 'bad object' | 'unreadable' | 'removed';
}

const writeArbitrary: fc.Arbitrary<Write> = fc.record({
  file: fc.constantFrom(...FILES),
  documents: fc.array(
    fc.record({ name: fc.constantFrom(...NAMES), host: fc.constantFrom('x.example.com', 'y.example.com') }),
    { maxLength: 4 },
  ),
  fate: fc.constantFrom('good', 'good', 'broken yaml', 'bad object', 'unreadable', 'removed'),
});

const reader = createDocumentReader({
  kinds: createKindRegistry(DEFAULT_MESH_DOMAIN),
  parse: createYamlParser(),
  defaultNamespace: 'default',
});

function textOf({ documents, fate }: Write): string {
  const good = documents.map(({ name, host }) => serviceEntry(name, host));
  if (fate === 'broken yaml') return [...good, 'a: [\n'].join('---\n');
  if (fate === 'bad object') return [...good, serviceEntry('UPPER')].join('---\n');
  return good.join('---\n');
}

function apply(state: FolderState, write: Write, identity: string): void {
  if (write.fate === 'removed') state.remove(write.file);
  else if (write.fate === 'unreadable') state.refuse({ file: write.file, reason: 'cannot be read' }, identity);
  else state.accept(write.file, identity, textOf(write));
}

function follow(mesh: Map<string, string>, changes: readonly ObjectChange[]): void {
  for (const change of changes) {
    if (change.type === 'delete') {
      const key = objectKey(change.kind, change.namespace, change.name);
      if (!mesh.delete(key)) throw new Error(`${key} is deleted, but was never there`);
      continue;
    }
    const { metadata, kind, body } = change.object;
    const key = objectKey(kind, metadata.namespace, metadata.name);
    const content = JSON.stringify(body);
    if (mesh.get(key) === content) throw new Error(`${key} is told again, but has not changed`);
    mesh.set(key, content);
  }
}

test('after any changes, the state of the folder equals a new load of its last valid files', (t) => {
  fc.assert(
    fc.property(fc.array(fc.tuple(writeArbitrary, fc.boolean()), { maxLength: 25 }), (writes) => {
      const state = createFolderState(reader);
      const mesh = new Map<string, string>();
      const lastGood = new Map<string, Write>();
      for (const [index, [write, settleNow]] of writes.entries()) {
        apply(state, write, String(index));
        if (write.fate === 'good') lastGood.set(write.file, write);
        if (write.fate === 'removed') lastGood.delete(write.file);
        if (settleNow) follow(mesh, state.settle().changes);
      }
      follow(mesh, state.settle().changes);

      const fresh = createFolderState(reader);
      const expected = new Map<string, string>();
      for (const [file, write] of lastGood) apply(fresh, { ...write, file }, file);
      follow(expected, fresh.settle().changes);
      t.deepEqual(new Map([...mesh].sort()), new Map([...expected].sort()));
      t.deepEqual(state.settle().changes, []);
    }),
    { numRuns: 200 },
  );
});

test('an unchanged document keeps its object when another one in the file changes', (t) => {
  const state = createFolderState(reader);
  const before = state.accept('a.yaml', '1', [serviceEntry('one'), serviceEntry('two')].join('---\n'));
  const after = state.accept('a.yaml', '2', [serviceEntry('new'), serviceEntry('two')].join('---\n'));
  t.is(after.objects[1]?.object, before.objects[1]?.object);
  t.not(after.objects[0]?.object, before.objects[0]?.object);
});
