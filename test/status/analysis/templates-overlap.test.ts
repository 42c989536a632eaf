import test from 'ava';
import { parseUriTemplate, type UriTemplate } from '../../../src/config/policy/uri-template.js';
import { templatesOverlap } from '../../../src/status/analysis/overlap/templates-overlap.js';
import fc from '../../support/property-testing.js';

function template(source: string): UriTemplate {
  const result = parseUriTemplate(source);
  if (result.type === 'error') throw new Error(`${source} ${result.message}`);
  return result.template;
}

const table: readonly (readonly [string, string, boolean])[] = [
  ['/', '/', true],
  ['/', '/**', true],
  ['/', '/a', false],
  ['/a/*', '/*/b', true],
  ['/a/*', '/b/*', false],
  ['/{a:2}', '/abc', false],
  ['/{a:3}', '/abc', true],
  ['/{a:2}', '/{b}', true],
  ['/**/a', '/**/b', false],
  ['/**/a', '/b/**', true],
  ['/**', '/a/b/c', true],
  ['/a/**/z', '/a/z', true],
  ['/a/**/z', '/b/z', false],
  ['/a:run', '/a:run', true],
  ['/a:run', '/a:stop', false],
  ['/a:run', '/a', false],
];

for (const [first, second, overlap] of table) {
  test(`${first} and ${second} ${overlap ? 'overlap' : 'do not overlap'}`, (t) => {
    t.is(templatesOverlap(template(first), template(second)), overlap);
    t.is(templatesOverlap(template(second), template(first)), overlap);
  });
}

/** A simple matcher. */
function matches({ segments }: UriTemplate, path: readonly string[], at = 0): boolean {
  const segment = segments[at];
  if (segment === undefined) return path.length === 0;
  if (segment.type === 'rest') {
    return Array.from({ length: path.length + 1 }, (_, taken) => path.slice(taken)).some((rest) =>
      matches({ segments } as UriTemplate, rest, at + 1),
    );
  }
  const [head, ...tail] = path;
  if (head === undefined) return false;
  const fits = segment.type === 'literal' ? segment.value === head : head.length <= (segment.maxLength ?? 9);
  return fits && matches({ segments } as UriTemplate, tail, at + 1);
}

/** Every path of exactly this many segments over a small alphabet. */
function pathsOf(length: number): readonly (readonly string[])[] {
  if (length === 0) return [[]];
  return pathsOf(length - 1).flatMap((path) => ['a', 'bb'].map((head) => [head, ...path]));
}

/** Longer ones add nothing to templates of this size. */
const PATHS = [0, 1, 2, 3, 4].flatMap(pathsOf);

test('two templates overlap exactly when a path matches both', (t) => {
  const source = fc
    .tuple(
      fc.array(fc.constantFrom('a', 'bb', '*', '{v:1}'), { maxLength: 2 }),
      fc.constantFrom('', '**'),
      fc.array(fc.constantFrom('a', 'bb'), { maxLength: 1 }),
    )
    .map(([head, rest, tail]) => `/${[...head, ...(rest === '' ? [] : [rest]), ...tail].join('/')}`);
  fc.assert(
    fc.property(source, source, (first, second) => {
      const [one, other] = [template(first), template(second)];
      return templatesOverlap(one, other) === PATHS.some((path) => matches(one, path) && matches(other, path));
    }),
    { numRuns: 2000 },
  );
  t.pass();
});
