import test from 'ava';
import { type CompiledApiSpecs, compileApiSpecs } from '../../../src/policy/client/compile-api-specs.js';
import { processorMs } from '../../support/processor-ms.js';

/** `[method, template]` or `[method, template, name of the operation]`. */
type Row = readonly [method: string, uriTemplate: string, operation?: string];

function named(operation: string) {
  return { attributes: { 'api.operation': { stringValue: operation } } };
}

function compileTemplates(...rows: readonly Row[]): CompiledApiSpecs {
  const patterns = rows.map(([httpMethod, uriTemplate, operation = uriTemplate]) => ({
    httpMethod,
    uriTemplate,
    attributes: named(operation),
  }));
  return compileApiSpecs([{ patterns }]);
}

function operationOf(specs: CompiledApiSpecs, method: string, target: string): unknown {
  return specs.attributesFor(method, target).get('api.operation')?.value;
}

const ROWS: readonly (readonly [
  title: string,
  templates: readonly Row[],
  request: [string, string],
  found: unknown,
])[] = [
  ['a plain path', [['GET', '/pets']], ['GET', '/pets'], '/pets'],
  ['the root', [['GET', '/']], ['GET', '/'], '/'],
  ['a path with a variable', [['GET', '/pets/{id}']], ['GET', '/pets/7'], '/pets/{id}'],
  ['a variable needs a segment', [['GET', '/pets/{id}']], ['GET', '/pets'], undefined],
  ['a variable takes no empty segment', [['GET', '/pets/{id}/x']], ['GET', '/pets//x'], undefined],
  ['a variable takes one segment', [['GET', '/pets/{id}']], ['GET', '/pets/7/toys'], undefined],
  ['a prefix modifier takes that many characters', [['GET', '/{l:2}']], ['GET', '/ab'], '/{l:2}'],
  ['a prefix modifier takes fewer characters', [['GET', '/{l:2}']], ['GET', '/a'], '/{l:2}'],
  ['a prefix modifier takes no more characters', [['GET', '/{l:2}']], ['GET', '/abc'], undefined],
  ['a prefix modifier counts characters, not escapes', [['GET', '/{l:2}']], ['GET', '/%C3%A9%E2%82%AC'], '/{l:2}'],
  ['a prefix modifier counts one too many', [['GET', '/{l:1}']], ['GET', '/%C3%A9a'], undefined],
  ['a malformed escape counts as characters', [['GET', '/{l:2}']], ['GET', '/%z'], '/{l:2}'],
  [
    'the shorter prefix goes first',
    [
      ['GET', '/{l}'],
      ['GET', '/{l:3}'],
      ['GET', '/{l:2}'],
    ],
    ['GET', '/ab'],
    '/{l:2}',
  ],
  ['a query expression asks for no parameter', [['GET', '/s{?q,lang}']], ['GET', '/s'], '/s{?q,lang}'],
  ['a query expression allows others', [['GET', '/s{?q,lang}']], ['GET', '/s?x=1&q=2'], '/s{?q,lang}'],
  ['a query value within its prefix', [['GET', '/s{?q:2}']], ['GET', '/s?q=ab'], '/s{?q:2}'],
  ['a query value beyond its prefix', [['GET', '/s{?q:2}']], ['GET', '/s?q=abc'], undefined],
  [
    'what a limit excludes goes to the next',
    [
      ['GET', '/s{?q:2}'],
      ['GET', '/s'],
    ],
    ['GET', '/s?q=abc'],
    '/s',
  ],
  ['the query is stripped', [['GET', '/pets']], ['GET', '/pets?a=/b'], '/pets'],
  ['trailing empty segments are dropped', [['GET', '/pets']], ['GET', '/pets//'], '/pets'],
  ['inner empty segments are not', [['GET', '/a/b']], ['GET', '/a//b'], undefined],
  ['* is any one segment', [['GET', '/*/toys']], ['GET', '/7/toys'], '/*/toys'],
  ['** is any number of segments', [['GET', '/files/**']], ['GET', '/files/a/b/c'], '/files/**'],
  ['** is also no segment', [['GET', '/files/**']], ['GET', '/files'], '/files/**'],
  ['literals may follow **', [['GET', '/files/**/meta']], ['GET', '/files/a/b/meta'], '/files/**/meta'],
  ['the literals after ** must end the path', [['GET', '/files/**/meta']], ['GET', '/files/meta/a'], undefined],
  ['a variable over segments', [['GET', '/{n=shelves/*}/b']], ['GET', '/shelves/7/b'], '/{n=shelves/*}/b'],
  ['a verb', [['POST', '/jobs/{id}:cancel']], ['POST', '/jobs/7:cancel'], '/jobs/{id}:cancel'],
  ['another verb', [['POST', '/jobs/{id}:cancel']], ['POST', '/jobs/7:start'], undefined],
  [
    'a verb before a variable',
    [
      ['POST', '/jobs/{id}'],
      ['POST', '/jobs/{id}:x'],
    ],
    ['POST', '/jobs/7:x'],
    '/jobs/{id}:x',
  ],
  [
    'a colon that is no verb',
    [
      ['POST', '/jobs/{id}'],
      ['GET', '/jobs/{id}:x'],
    ],
    ['POST', '/jobs/7:x'],
    '/jobs/{id}',
  ],
  [
    'literal before *',
    [
      ['GET', '/{a}'],
      ['GET', '/b'],
    ],
    ['GET', '/b'],
    '/b',
  ],
  [
    '* before **',
    [
      ['GET', '/**'],
      ['GET', '/{a}'],
    ],
    ['GET', '/b'],
    '/{a}',
  ],
  [
    'literal before * at each node',
    [
      ['GET', '/{a}/c'],
      ['GET', '/b/{a}'],
    ],
    ['GET', '/b/c'],
    '/b/{a}',
  ],
  [
    'back from a literal that leads nowhere',
    [
      ['GET', '/b/x'],
      ['GET', '/{a}/c'],
    ],
    ['GET', '/b/c'],
    '/{a}/c',
  ],
  [
    'back from * to **',
    [
      ['GET', '/{a}/x'],
      ['GET', '/**/c'],
    ],
    ['GET', '/b/c'],
    '/**/c',
  ],
  [
    'exact method before *',
    [
      ['*', '/p', 'any'],
      ['GET', '/p', 'get'],
    ],
    ['GET', '/p'],
    'get',
  ],
  [
    'method * is every method',
    [
      ['*', '/p', 'any'],
      ['GET', '/p', 'get'],
    ],
    ['PUT', '/p'],
    'any',
  ],
  [
    'back for another method',
    [
      ['GET', '/p'],
      ['PUT', '/{a}'],
    ],
    ['PUT', '/p'],
    '/{a}',
  ],
  [
    'a better path before a better method',
    [
      ['GET', '/{a}'],
      ['*', '/p', 'any'],
    ],
    ['GET', '/p'],
    'any',
  ],
  [
    'a duplicate: the first is kept',
    [
      ['GET', '/{a}', '1'],
      ['GET', '/{b}', '2'],
    ],
    ['GET', '/x'],
    '1',
  ],
  ['methods are case-sensitive', [['GET', '/p']], ['get', '/p'], undefined],
  ['paths are case-sensitive', [['GET', '/p']], ['GET', '/P'], undefined],
  ['an escaped letter is that letter', [['GET', '/pets']], ['GET', '/p%65ts'], '/pets'],
  ['escapes are equal in either case', [['GET', '/caf\u00e9']], ['GET', '/caf%c3%a9'], '/caf\u00e9'],
  ['an escaped slash is no slash', [['GET', '/a/b']], ['GET', '/a%2Fb'], undefined],
  ['a target that is no path', [['OPTIONS', '/**']], ['OPTIONS', '*'], undefined],
  ['an empty target', [['GET', '/**']], ['GET', ''], undefined],
];

for (const [title, templates, [method, target], found] of ROWS) {
  test(`${title}: ${method} ${target} finds ${found ?? 'nothing'}`, (t) => {
    t.is(operationOf(compileTemplates(...templates), method, target), found);
  });
}

test('a pattern generates its attributes only when method and template both match', (t) => {
  const specs = compileTemplates(['GET', '/pets']);
  t.is(operationOf(specs, 'GET', '/pets'), '/pets');
  t.is(operationOf(specs, 'POST', '/pets'), undefined);
  t.is(operationOf(specs, 'GET', '/dogs'), undefined);
});

for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'DELETE', 'CONNECT', 'OPTIONS', 'TRACE', 'PATCH', 'M-SEARCH']) {
  test(`httpMethod: ${method} matches requests of that method only`, (t) => {
    const specs = compileTemplates([method, '/p']);
    t.is(operationOf(specs, method, '/p'), '/p');
    t.is(operationOf(specs, method.toLowerCase(), '/p'), undefined);
    t.is(operationOf(specs, `${method}S`, '/p'), undefined);
  });
}

const SERVICE = { attributes: { 'api.service': { stringValue: 'petstore' }, 'api.operation': { stringValue: '?' } } };

test('attributes at the top level are generated when a pattern matches, and only then', (t) => {
  const specs = compileApiSpecs([
    { attributes: SERVICE, patterns: [{ httpMethod: 'GET', uriTemplate: '/pets', attributes: named('list') }] },
  ]);
  t.is(specs.attributesFor('GET', '/pets').get('api.service')?.value, 'petstore');
  t.is(specs.attributesFor('GET', '/dogs').size, 0);
});

test('attributes of a pattern take precedence over those at the top level', (t) => {
  const specs = compileApiSpecs([
    { attributes: SERVICE, patterns: [{ httpMethod: 'GET', uriTemplate: '/pets', attributes: named('list') }] },
  ]);
  t.is(operationOf(specs, 'GET', '/pets'), 'list');
});

test('a pattern without attributes has those of the top level', (t) => {
  const specs = compileApiSpecs([{ attributes: SERVICE, patterns: [{ httpMethod: 'GET', uriTemplate: '/pets' }] }]);
  t.is(operationOf(specs, 'GET', '/pets'), '?');
});

test('only specs with matching patterns add their top level, and one template wins', (t) => {
  const specs = compileApiSpecs([
    {
      attributes: { attributes: { first: { stringValue: '1' } } },
      patterns: [{ httpMethod: 'GET', uriTemplate: '/{a}', attributes: named('any') }],
    },
    {
      attributes: { attributes: { second: { stringValue: '2' } } },
      patterns: [{ httpMethod: 'GET', uriTemplate: '/pets', attributes: named('pets') }],
    },
  ]);
  const layer = specs.attributesFor('GET', '/pets');
  t.deepEqual([...layer.keys()].sort(), ['api.operation', 'second']);
});

const REGEXES = compileApiSpecs([
  {
    attributes: { attributes: { top: { stringValue: 'first' } } },
    patterns: [
      { httpMethod: 'GET', uriTemplate: '/pets/{id}', attributes: named('template') },
      { httpMethod: 'GET', regex: '/pets/[0-9]+(\\?.*)?', attributes: named('digits') },
      { httpMethod: 'POST', regex: '/pets/.*', attributes: named('posted') },
      { httpMethod: 'GET', regex: '.*\\?v=2', attributes: { attributes: { 'api.version': { stringValue: '2' } } } },
    ],
  },
  {
    attributes: { attributes: { top: { stringValue: 'second' }, more: { stringValue: 'x' } } },
    patterns: [{ httpMethod: '*', regex: '/cats.*', attributes: named('cats') }],
  },
]);

test('a regex is matched against the whole path with its query', (t) => {
  t.is(operationOf(REGEXES, 'POST', '/pets/7'), 'posted');
  t.is(operationOf(REGEXES, 'POST', '/x/pets/7'), undefined);
  t.is(REGEXES.attributesFor('GET', '/birds?v=2').get('api.version')?.value, '2');
  t.is(REGEXES.attributesFor('GET', '/birds?v=23').size, 0);
});

test('a regex needs an equal method, or is of all methods', (t) => {
  t.is(operationOf(REGEXES, 'PUT', '/pets/7'), undefined);
  t.is(operationOf(REGEXES, 'PUT', '/cats/7'), 'cats');
});

test('regexes are tried after the template, and all matches merge', (t) => {
  const layer = REGEXES.attributesFor('GET', '/pets/7?v=2');
  t.is(layer.get('api.operation')?.value, 'digits');
  t.is(layer.get('api.version')?.value, '2');
  t.is(layer.get('top')?.value, 'first');
});

test('matches in several specs bring the top level of each, later specs over earlier ones', (t) => {
  const specs = compileApiSpecs([
    { attributes: named('top 1'), patterns: [{ httpMethod: 'GET', regex: '/a' }] },
    { attributes: named('top 2'), patterns: [{ httpMethod: 'GET', uriTemplate: '/a' }] },
  ]);
  t.is(operationOf(specs, 'GET', '/a'), 'top 2');
});

test('regexes are in RE2 syntax: a regex that backtracks elsewhere is linear here', (t) => {
  const specs = compileApiSpecs([{ patterns: [{ httpMethod: 'GET', regex: '(/a*)*b' }] }]);
  const spentMs = processorMs(() => {
    t.is(specs.attributesFor('GET', `/${'a'.repeat(50_000)}`).size, 0);
  });
  t.true(spentMs < 2_000, `${spentMs} ms`);
});

test('unusable parts are named, and the rest of the spec works', (t) => {
  const specs = compileApiSpecs([
    {
      patterns: [
        { httpMethod: 'GET', regex: '(?=a)' },
        { httpMethod: 'GET', regex: '' },
        { httpMethod: 'GET', uriTemplate: '/{a' },
        { httpMethod: 'GET' },
        { httpMethod: '', uriTemplate: '/a' },
        { httpMethod: 'GET', uriTemplate: '/a', regex: '/a' },
        { httpMethod: 'GET', uriTemplate: '/b', attributes: { attributes: { x: {} } } },
        { httpMethod: 'GET', uriTemplate: '/pets', attributes: named('pets') },
      ],
    },
  ]);
  t.deepEqual(
    specs.problems.map(({ field }) => field),
    [
      '[0].patterns[0].regex',
      '[0].patterns[1].regex',
      '[0].patterns[2].uriTemplate',
      '[0].patterns[3].uriTemplate',
      '[0].patterns[4].httpMethod',
      '[0].patterns[5].uriTemplate',
      '[0].patterns[6].attributes.attributes["x"]',
    ],
  );
  t.true(specs.problems.every(({ message }) => message.includes(': ')));
  t.is(operationOf(specs, 'GET', '/pets'), 'pets');
});

test('a pattern without a method is for requests of every method', (t) => {
  const specs = compileApiSpecs([
    {
      patterns: [
        { uriTemplate: '/a', attributes: named('a') },
        { regex: '/b+', attributes: named('b') },
      ],
    },
  ]);
  t.deepEqual(specs.problems, []);
  for (const method of ['GET', 'DELETE', 'PURGE']) {
    t.is(operationOf(specs, method, '/a'), 'a');
    t.is(operationOf(specs, method, '/bb'), 'b');
  }
});
