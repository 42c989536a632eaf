import test from 'ava';
import {
  MAX_URI_TEMPLATE_LENGTH,
  parseUriTemplate,
  type UriTemplate,
} from '../../../src/config/policy/uri-template.js';
import fc from '../../support/property-testing.js';

function parsed(source: string): UriTemplate {
  const result = parseUriTemplate(source);
  if (result.type === 'error') throw new Error(`${source} ${result.message}; ${result.remedy}`);
  return result.template;
}

/** `/a/{x:3}/**` as `a <3 **`, then variables, verb and query: short enough for a table. */
function shown({ segments, variables, verb, query }: UriTemplate): string {
  const path = segments.map((segment) => {
    if (segment.type === 'literal') return segment.value;
    if (segment.type === 'rest') return '**';
    return segment.maxLength === undefined ? '*' : `<${segment.maxLength}`;
  });
  return [
    ...path,
    ...variables.map(({ name, start, end }) => `${name}=[${start},${end})`),
    ...(verb === undefined ? [] : [`verb=${verb}`]),
    ...query.map(({ name, explode, maxLength = '' }) => `?${name}${explode ? '*' : ''}${maxLength}`),
  ].join(' ');
}

const accepted: readonly (readonly [string, string, string])[] = [
  ['the root', '/', ''],
  ['a plain path', '/pets', 'pets'],
  ['a slash at the end', '/pets/', 'pets'],
  ['a path with a variable', '/pets/{id}/toys', 'pets * toys id=[1,2)'],
  ['a variable with a prefix modifier', '/dictionary/{term:1}/{term}', 'dictionary <1 * term=[1,2) term=[2,3)'],
  ['a form-style query expansion', '/search{?q,lang}', 'search ?q ?lang'],
  ['a query variable that may come several times, or is cut', '/search{?q*,lang:2}', 'search ?q* ?lang2'],
  ['a query of the root', '/{?q}', '?q'],
  ['wildcards of one segment', '/*/a/*', '* a *'],
  ['a wildcard of all segments, with literals after it', '/a/**/b', 'a ** b'],
  ['a variable over several segments', '/v1/{name=shelves/*}/b', 'v1 shelves * b name=[1,3)'],
  ['a variable over the rest', '/{path=**}', '** path=[0,1)'],
  ['a dotted variable name', '/{book.id}', '* book.id=[0,1)'],
  ['a verb', '/jobs/{id}:cancel', 'jobs * id=[1,2) verb=cancel'],
  ['a verb after a literal, with a query', '/jobs:run{?dry}', 'jobs verb=run ?dry'],
  ['a colon in an earlier segment', '/a:b/c', 'a:b c'],
  ['percent-encoding', '/a%20b', 'a%20b'],
  ['letters beyond ASCII, percent-encoded', '/käse', 'k%C3%A4se'],
];

for (const [what, source, expected] of accepted) {
  test(`a template may have ${what}: ${source}`, (t) => {
    const template = parsed(source);
    t.is(shown(template), expected);
    t.is(template.source, source);
  });
}

const refused: readonly (readonly [string, string])[] = [
  ['', 'does not start with a slash'],
  ['pets', 'does not start with a slash'],
  ['{?q}', 'does not start with a slash'],
  ['//', 'has an empty segment'],
  ['/a//b', 'has an empty segment'],
  ['/a/{b', 'has an unmatched brace'],
  ['/a/b}', 'has an unmatched brace'],
  ['/}a{', 'has an unmatched brace'],
  ['/{a{b}}', 'has a variable inside a variable'],
  ['/{a={b}/c}', 'has a variable inside a variable'],
  ['/{id}.json', 'has more than a variable in the segment {id}.json'],
  ['/{a}{b}', 'has more than a variable in the segment {a}{b}'],
  ['/{}', 'has the variable {}, whose name or modifier is not valid'],
  ['/{a-b}', 'has the variable {a-b}, whose name or modifier is not valid'],
  ['/{a:0}', 'has the variable {a:0}, whose name or modifier is not valid'],
  ['/{a:10000}', 'has the variable {a:10000}, whose name or modifier is not valid'],
  ['/{a=}', 'has the variable {a=}, whose name or modifier is not valid'],
  ['/{a=b//c}', 'has an empty segment'],
  ['/{a,b}', 'has the variable {a,b}, whose name or modifier is not valid'],
  ['/{+path}', 'has the expression {+path}, which is not supported'],
  ['/a{/b}', 'has more than a variable in the segment a{/b}'],
  ['/a*', 'has a wildcard that is only a part of the segment a*'],
  ['/***', 'has a wildcard that is only a part of the segment ***'],
  ['/**/*', 'has a wildcard or a variable after **'],
  ['/**/{a}', 'has a wildcard or a variable after **'],
  ['/**/a/**', 'has a wildcard or a variable after **'],
  ['/{a=**}/{b=c/*}', 'has a wildcard or a variable after **'],
  ['/a?b=c', 'contains a query or a fragment'],
  ['/a#b', 'contains a query or a fragment'],
  ['/a{?q}/b', 'has a query expression before its end'],
  ['/a{?}', 'has a query expression that is not valid'],
  ['/a{?q,}', 'has a query expression that is not valid'],
  ['/a b', 'has a character that a path cannot contain'],
  ['/a%2', 'has a character that a path cannot contain'],
  ['/a\n', 'has a character that a path cannot contain'],
  ['/\ud800', 'has a character that a path cannot contain'],
  ['/a:', 'has a colon at its end without a verb after it'],
  ['/:verb', 'has an empty segment'],
  [`/${'a'.repeat(MAX_URI_TEMPLATE_LENGTH)}`, `is longer than ${MAX_URI_TEMPLATE_LENGTH} characters`],
];

for (const [source, message] of refused) {
  const title = JSON.stringify(source.length > 40 ? `${source.slice(0, 40)}…` : source);
  test(`a template is refused that ${message}: ${title}`, (t) => {
    const result = parseUriTemplate(source);
    t.is(result.type === 'error' ? result.message : shown(result.template), message);
  });
}

test('any text is parsed or refused without an exception, and a parsed template meets its invariants', (t) => {
  const piece = fc.constantFrom('/', '{', '}', '*', '**', ':', '?', '=', ',', 'a', '1', '{a}', '{?q}', '%20', 'ä', ' ');
  t.notThrows(() =>
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string(),
          fc.array(piece, { maxLength: 30 }).map((parts) => `/${parts.join('')}`),
        ),
        (source) => {
          const result = parseUriTemplate(source);
          if (result.type === 'error') return result.message !== '' && result.remedy !== '';
          const { segments, variables } = result.template;
          const rest = segments.findIndex(({ type }) => type === 'rest');
          return (
            variables.every(({ start, end }) => 0 <= start && start < end && end <= segments.length) &&
            (rest === -1 || segments.slice(rest + 1).every(({ type }) => type === 'literal'))
          );
        },
      ),
      { numRuns: 2000 },
    ),
  );
});
