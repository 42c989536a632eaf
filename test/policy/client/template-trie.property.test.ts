import test from 'ava';
import { parseUriTemplate, type TemplateSegment, type UriTemplate } from '../../../src/config/policy/uri-template.js';
import { PathTemplates } from '../../../src/policy/client/template-trie.js';
import fc from '../../support/property-testing.js';

interface Pattern {
  readonly template: UriTemplate;
  readonly method: string;
  readonly index: number;
}

const literal = fc.constantFrom('a', 'b', 'c');
const wildcard = fc.constantFrom('*', '{x}', '{x:1}', '{x:2}');
const templateText = fc
  .tuple(
    fc.array(fc.oneof({ weight: 2, arbitrary: literal }, { weight: 1, arbitrary: wildcard }), { maxLength: 3 }),
    fc.option(fc.array(literal, { maxLength: 1 })),
    fc.option(fc.constantFrom('v', 'w'), { freq: 4 }),
  )
  .map(([head, tail, verb]) => {
    const parts = [...head, ...(tail === null ? [] : ['**', ...tail])];
    return `/${parts.join('/')}${verb === null || parts.length === 0 ? '' : `:${verb}`}`;
  });
const pattern = fc.tuple(templateText, fc.constantFrom('GET', 'POST', '*'));
const segment = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom('a', 'b', 'c') },
  { weight: 1, arbitrary: fc.constantFrom('aa', 'aaa', '', 'a:v', 'b:w', ':v', 'c:x') },
);
const path = fc.array(segment, { maxLength: 4 }).map((segments) => `/${segments.join('/')}`);

/** Tells by a plain regular expression; these are short, so that backtracking does not matter. */
function matches({ segments }: UriTemplate, text: string): boolean {
  let source = '';
  for (const part of segments) {
    if (part.type === 'literal') source += `/${part.value}`;
    else if (part.type === 'single') source += `/[^/]{1,${part.maxLength ?? ''}}`;
    else source += '(?:/[^/]*)*';
  }
  return new RegExp(`^${source}$`).test(text);
}

function rank(part: TemplateSegment | undefined): number {
  if (part === undefined || part.type === 'literal') return 0;
  return part.type === 'single' ? (part.maxLength ?? 1_000) : 2_000;
}

/** The better one of two templates that both match: by the first segment in which they differ in kind. */
function compareTemplates(a: UriTemplate, b: UriTemplate): number {
  const length = Math.max(a.segments.length, b.segments.length);
  for (let index = 0; index < length; index++) {
    const left = a.segments[index];
    const right = b.segments[index];
    // After ** the longer tail is better; without ** both templates have the same number of segments.
    if (left?.type === 'rest' && right?.type === 'rest') return b.segments.length - a.segments.length;
    if (rank(left) !== rank(right)) return rank(left) - rank(right);
  }
  return 0;
}

function findNaively(patterns: readonly Pattern[], method: string, request: string): number | undefined {
  const text = request.replace(/\/+$/, '');
  const colon = text.lastIndexOf(':');
  const verb = colon > text.lastIndexOf('/') ? text.slice(colon + 1) : undefined;
  const withVerb = patterns.filter(({ template }) => verb !== undefined && template.verb === verb);
  const without = patterns.filter(({ template }) => template.verb === undefined);
  for (const [candidates, subject] of [
    [withVerb, text.slice(0, colon)],
    [without, text],
  ] as const) {
    const [best] = candidates
      .filter((candidate) => candidate.method === method || candidate.method === '*')
      .filter(({ template }) => matches(template, subject))
      .sort(
        (a, b) =>
          compareTemplates(a.template, b.template) ||
          Number(a.method === '*') - Number(b.method === '*') ||
          a.index - b.index,
      );
    if (best !== undefined) return best.index;
  }
  return undefined;
}

function patternsOf(texts: readonly (readonly [string, string])[]): readonly Pattern[] {
  return texts.map(([text, method], index) => {
    const parsed = parseUriTemplate(text);
    if (parsed.type === 'error') throw new Error(`${text} ${parsed.message}`);
    return { template: parsed.template, method, index };
  });
}

test('for any templates and any path, the result is the template that a naive matcher finds', (t) => {
  fc.assert(
    fc.property(fc.array(pattern, { minLength: 4, maxLength: 16 }), path, fc.constantFrom('GET', 'PUT'), (...run) => {
      const [texts, request, method] = run;
      const patterns = patternsOf(texts);
      const templates = new PathTemplates<number>();
      for (const { template, method: of, index } of patterns) templates.add(template, of, index);
      t.is(templates.find(method, request), findNaively(patterns, method, request));
    }),
    { numRuns: 3_000 },
  );
});

test('the paths of the property above match often enough to say something', (t) => {
  const samples = fc.sample(fc.tuple(fc.array(pattern, { minLength: 4, maxLength: 16 }), path), {
    numRuns: 500,
    seed: 1,
  });
  const hits = samples.filter(([texts, request]) => findNaively(patternsOf(texts), 'GET', request) !== undefined);
  t.true(hits.length > 100, `${hits.length} of 500 match`);
});
