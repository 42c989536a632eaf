import type { Written } from './request-attributes.js';

/**
 * An expression of the legacy syntax and its result, `!` and the beginning of a message for an error. `compat` is the result
 * with the language `compat`, where it differs.
 */
export interface LegacyCase {
  readonly text: string;
  readonly given?: Readonly<Record<string, Written>>;
  readonly result: Written;
  readonly compat?: Written;
}

const SECOND = 1_000_000_000n;
const MS = 1_000_000n;
const T1 = 1_420_211_075n * SECOND;
const [A4, B4] = [Uint8Array.of(1, 2, 3, 4), Uint8Array.of(4, 5, 6, 7)];
const MAPPED = Uint8Array.of(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255, 1, 2, 3, 4);
const REGEX = '"^svc[0-9]+$"';

const at = (text: string, given: LegacyCase['given'], result: Written, compat?: Written): LegacyCase => ({
  text,
  ...(given && { given }),
  result,
  ...(compat !== undefined && { compat }),
});
const is = (text: string, result: Written, compat?: Written): LegacyCase => at(text, undefined, result, compat);

const comparisons = (small: string, large: string, given?: LegacyCase['given']): LegacyCase[] => [
  at(`${small} < ${large}`, given, true),
  at(`${large} < ${small}`, given, false),
  at(`${small} < ${small}`, given, false),
  at(`${small} <= ${large}`, given, true),
  at(`${large} <= ${small}`, given, false),
  at(`${small} <= ${small}`, given, true),
  at(`${small} > ${large}`, given, false),
  at(`${large} > ${small}`, given, true),
  at(`${small} > ${small}`, given, false),
  at(`${small} >= ${large}`, given, false),
  at(`${large} >= ${small}`, given, true),
  at(`${small} >= ${small}`, given, true),
  at(`${small} == ${small}`, given, true),
  at(`${small} == ${large}`, given, false),
  at(`${small} != ${small}`, given, false),
  at(`${small} != ${large}`, given, true),
];

export const LEGACY_CASES: readonly LegacyCase[] = [
  // Literals
  is('true', true),
  is('FALSE', false),
  is('456789', 456789n),
  is('9223372036854775807', 9_223_372_036_854_775_807n),
  is('456.789', 456.789),
  is('1e3', 1000),
  is('.5', 0.5),
  is('"ABC"', 'ABC'),
  is('`a\\"b`', 'a\\"b'),
  is("'x'", 'x'),
  is('"\\u00e4\\x41\\102\\t"', 'äAB\t'),
  is('"19ms"', 19n * MS),
  is('"1h30m"', 5400n * SECOND),
  is('"0"', 0n),
  is('"-1.5s"', -1_500n * MS),
  is('emptyStringMap()', {}),

  // Comparisons of each type
  ...comparisons('1', '2'),
  ...comparisons('1.0', '2.0'),
  ...comparisons('"a"', '"b"'),
  ...comparisons('"1s"', '"1m"'),
  ...comparisons('count', 'other', { count: 1n, other: 2n }),
  ...comparisons('key', 'word', { key: 'a', word: 'b' }),
  ...comparisons('ratio', 'test.double', { ratio: 1, 'test.double': 2 }),
  ...comparisons('at', 'request.time', { at: T1, 'request.time': T1 + 1n }),
  ...comparisons('elapsed', 'response.duration', { elapsed: 20n * MS, 'response.duration': 21n * MS }),
  ...comparisons('timestamp("2015-01-02T15:04:35Z")', 'timestamp("2015-01-02T15:04:36Z")'),
  is('true == true', true),
  is('true == false', false),
  is('true != false', true),
  is('23.45 == 45.23', false),
  at('count == 2', { count: 0x7f00_0000_ff00_0000n }, false),
  at('count == other', { count: 0x7f00_0000_ff00_0000n, other: 0x7f00_0000_ff00_0000n }, true),
  at('2 != count', { count: 2n }, false),

  // Absent attributes
  at('count == 2', {}, '!the request has no count', false),
  at('2 != count', {}, '!the request has no count', true),
  at('flag', {}, '!the request has no flag', false),
  at('key', {}, '!the request has no key', ''),
  at('source.name == "a"', {}, '!the request has no source.name', false),
  at('map["a"]', {}, '!the request has no map', '!there is no key "a"'),
  at('map[key]', { map: { a: 'b' } }, '!the request has no key', '!there is no key ""'),
  at('count == 20 && other == 10', { flag: true }, '!the request has no count', false),
  at('match(key, word)', { word: '*.a' }, '!the request has no key', false),
  at('match(key, word)', { key: 'a' }, '!the request has no word', false),
  at('count == 2', { count: 'two' }, '!count is a string in this request, but was declared as INT64'),

  // Defaults
  at('source.name | request.host | "x"', { 'request.host': 'h' }, 'h'),
  at('source.name | request.host | "x"', {}, 'x'),
  at('source.name | request.host | "x"', { 'source.name': 'n', 'request.host': 'h' }, 'n'),
  at('(source.name | request.host) | "x"', {}, 'x'),
  at('source.name | (request.host | "x")', {}, 'x'),
  at('request.size | 200', { 'request.size': 120n }, 120n),
  at('request.size | 200', { 'request.size': 0n }, 0n),
  at('request.size | 200', {}, 200n),
  at('test.bool | true', { 'test.bool': false }, false),
  at('test.bool | true', {}, true),
  at('test.double | 42.1', {}, 42.1),
  at('connection.duration | "19ms"', {}, 19n * MS),
  at('connection.duration | "19ms"', { 'connection.duration': 20n * MS }, 20n * MS),
  at('source.name | "0"', {}, '0'),
  at('request.time | context.time', { 'context.time': 5n }, 5n),
  at('source.ip | destination.ip', { 'destination.ip': B4 }, B4),
  at('source.ip | ip("10.1.12.3")', {}, Uint8Array.of(10, 1, 12, 3)),
  at('source.ip | ip("10.1.12")', {}, '!"10.1.12" is not an IP address'),
  at('source.labels | emptyStringMap()', {}, {}),
  at('emptyStringMap() | source.labels', { 'source.labels': { a: 'b' } }, {}),
  at('key | "user1"', { key: 'a' }, 'a'),
  // CEL cannot tell whether an attribute without a dot is there.
  at('key | "user1"', {}, 'user1', ''),
  at('key | word | "user1"', { word: 'b' }, 'b', ''),
  at('count | 42', {}, 42n, 0n),
  at('flag | true', {}, true, false),
  at('address | source.ip', { 'source.ip': A4 }, A4, new Uint8Array()),
  at('"foo" | "bar"', {}, 'foo'),
  at('ip(key) | ip(word)', { key: '1.2.3.4', word: '5.6.7.8' }, A4),
  at('ip(key) | ip(word)', { word: '1.2.3.4' }, '!the request has no key', '!"" is not an IP address'),
  at('ip(key | word)', {}, '!the request has no word', '!"" is not an IP address'),
  at('true | "foo".startsWith("bar")', {}, true),
  at('"foo".startsWith("bar") | true', {}, false),
  at('test.bool | "foo".startsWith("f")', {}, true),
  at('test.bool | "foo".startsWith("bar") | true', {}, false),
  at('(source.name | "unknown") == "users"', {}, false),
  at('source.name | "users" == "users"', {}, true),
  at('key | "a" + "b"', { key: 'x' }, 'xb'),
  at('source.name | "a" + word + "c"', { word: 'b' }, 'abc'),

  // Maps
  at('map["b"]', { map: { b: 'c' } }, 'c'),
  at('map[key]', { map: { a: 'b' }, key: 'a' }, 'b'),
  at('map["1s"]', { map: { '1s': 'b' } }, 'b'),
  at('map["c"] | "foo"', {}, 'foo'),
  at('map["c"] | "foo"', { map: { c: 'b' } }, 'b'),
  at('map["c"] | "foo"', { map: {} }, 'foo'),
  at('map[key] | "foo"', {}, 'foo'),
  at('map[key] | "foo"', { map: { a: 'b' } }, 'foo'),
  at('map[key] | "foo"', { key: 'a' }, 'foo'),
  at('map[key] | "foo"', { map: { a: 'b' }, key: '!!!' }, 'foo'),
  at('map[key] | "foo"', { map: { a: 'b' }, key: 'a' }, 'b'),
  at('map["b"] | map["c"] | "null"', { map: { b: 'c', c: 'b' } }, 'c'),
  at('map["b"] | map["c"] | "null"', { map: { c: 'b' } }, 'b'),
  at('map["b"] | map["c"] | "null"', { map: {} }, 'null'),
  at('(source.labels | map)["foo"]', { 'source.labels': { foo: 'bar' }, map: { foo: 'far' } }, 'bar'),
  at('(source.labels | map)["foo"]', { map: { foo: 'far' } }, 'far'),
  // A missing key is an empty text in the legacy language.
  at('match(request.headers["user-agent"], "curl*")', { 'request.headers': {} }, false, '!there is no key'),
  at('request.headers["x"] == ""', { 'request.headers': {} }, true, '!there is no key'),
  at('request.headers[toLower("USER-AGENT")] == "c"', { 'request.headers': { 'user-agent': 'c' } }, true),

  // Logic
  ...[true, false].flatMap((left) =>
    [true, false].flatMap((right) => [
      is(`${left} && ${right}`, left && right),
      is(`${left} || ${right}`, left || right),
    ]),
  ),
  is('false || true || false', true),
  is('true && true && false', false),
  is('true || false && false', true),
  at('false && flag', {}, false),
  at('true || flag', {}, true),
  at('map["a"] == "b" || true', {}, '!the request has no map', true),
  at('map["a"] == "b" && false', {}, '!the request has no map', false),
  at('map["a"] == "b" && true', {}, '!the request has no map', '!there is no key'),
  at('count == 20 || map["b"] == "c"', { count: 19n, map: { b: 'c' } }, true),
  at('(count == 20 && other == 10) || count == 30', { count: 20n, other: 10n }, true),

  // Conditional
  is('conditional(true, "aa", "bb")', 'aa'),
  is('conditional(false, 43, 24)', 24n),
  at('conditional(flag, 43.25, 25.43)', { flag: false }, 25.43),
  at('conditional(flag, source.ip, address)', { flag: true, 'source.ip': A4 }, A4),
  at('conditional(flag, test.uri, test.uri)', { flag: true, 'test.uri': 'http://foo' }, 'http://foo'),
  at('conditional(flag, "a", "b")', {}, '!the request has no flag', 'b'),
  at('conditionalString(flag, "a", "b")', { flag: true }, 'a'),
  at('source.name | conditional(flag, "foo", "bar") | word', { flag: false }, 'bar'),
  at('conditional((context.reporter.kind | "inbound") == "outbound", "client", "server")', {}, 'server'),
  at(
    'conditional((context.reporter.kind | "inbound") == "outbound", "a", conditional(connection.mtls | false, "b", "c"))',
    { 'connection.mtls': true },
    'b',
  ),

  // Sums and sizes
  at('key + word', { key: 'a', word: 'b' }, 'ab'),
  is('"a" + "b"', 'ab'),
  at('count + other', { count: 1n, other: 2n }, 3n),
  at(
    'count + 1',
    { count: 9_223_372_036_854_775_807n },
    -9_223_372_036_854_775_808n,
    '!the result does not fit into 64 bits',
  ),
  at('ratio + 2.0', { ratio: 1 }, 3),
  is('size("x")', 1n),
  at('size(key)', { key: 'two' }, 3n),
  // Bytes in the legacy language, characters in CEL.
  at('size(key)', { key: 'ä€' }, 5n, 2n),
  is('toLower("User-Agent")', 'user-agent'),

  // Texts
  at('match(key, "*.ns1.cluster")', { key: 'svc1.ns1.cluster' }, true),
  at('match(key, "*.ns1.cluster")', { key: 'svc1.ns2.cluster' }, false),
  at('match(key, "svc*")', { key: 'svc1' }, true),
  at('match(key, "svc*")', { key: 'my-svc1' }, false),
  at('match(key, "svc1")', { key: 'svc1' }, true),
  at('match(key, "s*1")', { key: 'svc1' }, false),
  at('match(key, "s*1")', { key: 's*1' }, true),
  at('match(key, "*")', { key: '' }, true),
  is('"abcd".startsWith("abc")', true),
  is('"abfood".startsWith("abc")', false),
  at('key.startsWith(word)', { key: 'abcd', word: 'ab' }, true),
  is('"abcd".endsWith("bcd")', true),
  at('key.endsWith(word)', { key: 'bcda', word: 'abc' }, false),
  at('("a" + key).endsWith("b")', { key: 'b' }, true),
  // The pattern is before the dot in the legacy language, and after it in CEL.
  is('"abc".matches("abc")', true),
  is('".*".matches("abc")', true, false),
  is('"b".matches("abc")', true, false),
  is('"abc".matches("b")', false, true),
  is('"ab.*d".matches("abc")', false),
  at(`${REGEX}.matches(key)`, { key: 'svc12' }, true, false),
  at(`${REGEX}.matches(key)`, { key: 'svc12 ' }, false),
  at('key.matches(word)', { key: 'st.*', word: 'str1' }, true, false),
  at('key.matches(word)', { key: 'str1', word: 'st.*' }, false, true),
  at('key.matches(word)', { key: '(', word: '(' }, '!"(" is not a regular expression'),
  at('"(?i)^SVC".matches(key)', { key: 'svc' }, true, false),

  // Addresses
  is('ip("0.0.0.0")', Uint8Array.of(0, 0, 0, 0)),
  is('ip("::1") == ip("0:0:0:0:0:0:0:1")', true),
  is('ip("::ffff:10.0.0.1") == ip("10.0.0.1")', true),
  at('source.ip == destination.ip', { 'source.ip': A4, 'destination.ip': MAPPED }, true),
  at('source.ip == destination.ip', { 'source.ip': A4, 'destination.ip': B4 }, false),
  at('source.ip != ip("1.2.3.4")', { 'source.ip': A4 }, false),
  is('ip("1.2.3")', '!"1.2.3" is not an IP address'),
  is('ip("01.2.3.4")', '!"01.2.3.4" is not an IP address'),

  // Times
  is('timestamp("2015-01-02T15:04:35Z")', T1),
  is('timestamp("2015-01-02T16:04:35.5+01:00")', T1 + 500n * MS),
  is('timestamp("242233")', '!"242233" is not a time of RFC 3339'),

  // DNS names
  is('dnsName("foo.bar.baz")', 'foo.bar.baz'),
  is('dnsName("")', '!"" is not a DNS name'),
  at('dnsName(key)', { key: '-foo.-bar' }, '!"-foo.-bar" is not a DNS name'),
  is('dnsName("a..b")', '!"a..b" is not a DNS name'),
  is('dnsName("foo.bar.baz") == dnsName("foo.Bar.baz.")', true),
  is('dnsName("foo.bar") != dnsName("bar.foo")', true),
  is('dnsName("bücher.example") == dnsName("xn--bcher-kva.example")', true),
  at('test.dns | dnsName("a.b")', { 'test.dns': 'c.d' }, 'c.d'),

  // E-mail addresses
  is('email("istio@istio.io")', 'istio@istio.io'),
  is('email("")', '!"" is not an e-mail address'),
  is('email("barfoo")', '!"barfoo" is not an e-mail address'),
  is('email("Bob <bob@a.b>")', '!"Bob <bob@a.b>" is not an e-mail address'),
  is('email("a@b.c") == email("a@B.c.")', true),
  is('email("A@b.c") == email("a@b.c")', false),
  at('test.email == email("bob@a.b")', { 'test.email': '"bob"@a.b' }, true),
  at('test.email == email("bob@a.b")', { 'test.email': 'bob' }, '!"bob" is not an e-mail address'),

  // URIs
  is('uri("http://istio.io")', 'http://istio.io'),
  is('uri("urn:foo")', 'urn:foo'),
  is('uri("")', '!"" is not a URI'),
  is('uri(":/")', '!":/" is not a URI'),
  is('uri("http://a/%zz")', '!"http://a/%zz" is not a URI'),
  is('uri("http://foo.bar.baz") == uri("HTTP://foo.Bar.baz.")', true),
  is('uri("http://a.b:80") == uri("http://a.b:81")', false),
  is('uri("http://a.b/x") == uri("http://a.b/y")', false),
  is('uri("http://a.b") == uri("https://a.b")', false),
  is('uri("ftp://A.b") == uri("ftp://a.b")', false),
];
