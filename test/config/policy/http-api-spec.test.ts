import test from 'ava';
import { readObject, refusalsOf } from '../support/read-yaml.js';

function apiSpec(spec: string): string {
  return `{apiVersion: config.mesh.internal/v1alpha2, kind: HTTPAPISpec, metadata: {name: api}, spec: ${spec}}`;
}

function pattern(text: string): string {
  return apiSpec(`{patterns: [${text}]}`);
}

function attribute(value: string): string {
  return pattern(`{httpMethod: GET, uriTemplate: /, attributes: {attributes: {a: ${value}}}}`);
}

test('an HTTPAPISpec is read completely', (t) => {
  const spec = `{
    attributes: {attributes: {api.service: {stringValue: petstore}, api.version: {stringValue: 1.0.0}}},
    patterns: [
      {attributes: {attributes: {api.operation: {stringValue: getPet}}}, httpMethod: GET, uriTemplate: "/pets/{id}"},
      {httpMethod: POST, regex: "/pets(/.*)?"}],
    apiKeys: [{query: key}, {header: x-key}]}`;
  t.deepEqual(readObject(apiSpec(spec)).body, {
    attributes: {
      attributes: { 'api.service': { stringValue: 'petstore' }, 'api.version': { stringValue: '1.0.0' } },
    },
    patterns: [
      {
        attributes: { attributes: { 'api.operation': { stringValue: 'getPet' } } },
        httpMethod: 'GET',
        uriTemplate: '/pets/{id}',
      },
      { httpMethod: 'POST', regex: '/pets(/.*)?' },
    ],
    apiKeys: [{ query: 'key' }, { header: 'x-key' }],
  });
});

const accepted: readonly (readonly [string, string])[] = [
  ['no attributes of its own, nor in its patterns', pattern('{httpMethod: GET, uriTemplate: /}')],
  [
    'any method, and methods beyond the usual',
    pattern('{httpMethod: "*", uriTemplate: /}, {httpMethod: PROPFIND, uriTemplate: /}'),
  ],
  ['a text attribute', attribute('{stringValue: a}')],
  ['a whole number attribute', attribute('{int64Value: -5}')],
  ['a whole number in quotes, up to 64 bits', attribute('{int64Value: "-9223372036854775808"}')],
  ['a number attribute', attribute('{doubleValue: 0.5}')],
  ['a false attribute', attribute('{boolValue: false}')],
  ['a bytes attribute, even empty', attribute('{bytesValue: ""}')],
  ['a bytes attribute in base64', attribute('{bytesValue: CgAAAQ==}')],
  ['a bytes attribute in the URL alphabet without padding', attribute('{bytesValue: _-8}')],
  ['a time attribute', attribute('{timestampValue: "2024-02-29T12:00:00.123456789+01:00"}')],
  ['a duration attribute of seconds', attribute('{durationValue: 10s}')],
  ['a duration attribute with a fraction', attribute('{durationValue: 1.5s}')],
  ['a duration attribute of minutes and seconds', attribute('{durationValue: 1m30s}')],
  ['a string map attribute', attribute('{stringMapValue: {entries: {a: b, c: ""}}}')],
  ['an empty string map attribute', attribute('{stringMapValue: {}}')],
  ['nothing at all', apiSpec('{}')],
  ['API keys alone', apiSpec('{apiKeys: [{header: x-key}]}')],
  ['an empty list of patterns', apiSpec('{patterns: []}')],
  ['a pattern without a method', pattern('{uriTemplate: /}')],
];

for (const [what, text] of accepted) {
  test(`an HTTPAPISpec may have ${what}`, (t) => {
    t.deepEqual(refusalsOf(text), []);
  });
}

const PATTERN = 'spec.patterns[0]';
const VALUE = `${PATTERN}.attributes.attributes.a`;
const refused: readonly (readonly [string, string, string])[] = [
  [
    'no method that is a text with spaces',
    pattern('{httpMethod: "GET /", uriTemplate: /}'),
    `${PATTERN}.httpMethod: "GET /": does not have the required form; it is: HTTP method (RFC 7231) in upper case, for example GET; * (default) is any method`,
  ],
  [
    'usual methods in upper case',
    pattern('{httpMethod: get, uriTemplate: /}'),
    `${PATTERN}.httpMethod: "get": matches no request, because methods are case-sensitive; write GET`,
  ],
  [
    'uriTemplate or regex, not both',
    pattern('{httpMethod: GET, uriTemplate: /, regex: a}'),
    `${PATTERN}: a mapping: sets uriTemplate and regex together; set exactly one of uriTemplate, regex`,
  ],
  [
    'uriTemplate or regex, not none',
    pattern('{httpMethod: GET}'),
    `${PATTERN}: a mapping: sets none of uriTemplate, regex; set exactly one of uriTemplate, regex`,
  ],
  [
    'templates that parse',
    pattern('{httpMethod: GET, uriTemplate: "/pets/{id"}'),
    `${PATTERN}.uriTemplate: "/pets/{id": has an unmatched brace; write variables as {name}`,
  ],
  [
    'a regex that RE2 accepts',
    pattern('{httpMethod: GET, regex: "["}'),
    `${PATTERN}.regex: "[": is not a regular expression: missing closing ]: \`[\`; use RE2 syntax, which has no look-around and no back references`,
  ],
  [
    'query or header in an API key, not both',
    apiSpec('{patterns: [{httpMethod: GET, uriTemplate: /}], apiKeys: [{query: a, header: b}]}'),
    'spec.apiKeys[0]: a mapping: sets query and header together; set exactly one of query, header',
  ],
  [
    'query or header in an API key, not none',
    apiSpec('{patterns: [{httpMethod: GET, uriTemplate: /}], apiKeys: [{}]}'),
    'spec.apiKeys[0]: {}: sets none of query, header; set exactly one of query, header',
  ],
  [
    'an API key whose name is not empty',
    apiSpec('{patterns: [{httpMethod: GET, uriTemplate: /}], apiKeys: [{query: ""}]}'),
    'spec.apiKeys[0].query: "": is empty; it is: Name of the query parameter',
  ],
  [
    'an API key whose header has a valid name',
    apiSpec('{patterns: [{httpMethod: GET, uriTemplate: /}], apiKeys: [{header: "a b"}]}'),
    'spec.apiKeys[0].header: "a b": is not the name of a header; use for example x-api-key',
  ],
  [
    'one member of an attribute value, not two',
    attribute('{stringValue: a, boolValue: true}'),
    `${VALUE}: a mapping: sets stringValue and boolValue together; set exactly one of stringValue, int64Value, doubleValue, boolValue, bytesValue, timestampValue, durationValue, stringMapValue`,
  ],
  [
    'no attribute value that is null',
    attribute('null'),
    `${VALUE}: null: is null, not an object; write fields as "name: value"`,
  ],
  [
    'attribute texts that are not empty',
    attribute('{stringValue: ""}'),
    `${VALUE}.stringValue: "": is empty; it is: A text, not empty`,
  ],
  [
    'whole numbers that are whole',
    attribute('{int64Value: 1.5}'),
    `${VALUE}.int64Value: 1.5: has none of the allowed forms; give an integer or a string`,
  ],
  [
    'whole numbers in quotes that are numbers',
    attribute('{int64Value: "12x"}'),
    `${VALUE}.int64Value: "12x": does not have the required form; it is: A whole number of 64 bits. Write numbers above 9007199254740991 in quotes, because JSON numbers lose digits there`,
  ],
  [
    'whole numbers of 64 bits',
    attribute('{int64Value: "9223372036854775808"}'),
    `${VALUE}.int64Value: "9223372036854775808": does not fit in 64 bits; use -9223372036854775808 to 9223372036854775807`,
  ],
  [
    'large whole numbers in quotes',
    attribute('{int64Value: 9007199254740993}'),
    `${VALUE}.int64Value: 9007199254740992: is too large for an exact JSON number; put it in quotes`,
  ],
  [
    'bytes in base64',
    attribute('{bytesValue: "ä"}'),
    `${VALUE}.bytesValue: "ä": does not have the required form; it is: Bytes in base64, in the plain or the URL alphabet`,
  ],
  [
    'times in RFC 3339',
    attribute('{timestampValue: "yesterday"}'),
    `${VALUE}.timestampValue: "yesterday": does not have the required form; it is: A time in RFC 3339, such as 2026-01-31T12:00:00Z`,
  ],
  [
    'times that exist',
    attribute('{timestampValue: "2026-02-29T12:00:00Z"}'),
    `${VALUE}.timestampValue: "2026-02-29T12:00:00Z": is not an existing time; use for example 2026-01-31T12:00:00Z`,
  ],
  [
    'bytes in base64 that is whole',
    attribute('{bytesValue: CgAAA}'),
    `${VALUE}.bytesValue: "CgAAA": does not have the required form; it is: Bytes in base64, in the plain or the URL alphabet`,
  ],
  [
    'times whose hour exists',
    attribute('{timestampValue: "2026-01-31T24:00:00Z"}'),
    `${VALUE}.timestampValue: "2026-01-31T24:00:00Z": is not an existing time; use for example 2026-01-31T12:00:00Z`,
  ],
  [
    'times whose offset exists',
    attribute('{timestampValue: "2026-01-31T12:00:00+24:00"}'),
    `${VALUE}.timestampValue: "2026-01-31T12:00:00+24:00": is not an existing time; use for example 2026-01-31T12:00:00Z`,
  ],
  [
    'numbers that are finite',
    attribute('{doubleValue: .inf}'),
    `${VALUE}.doubleValue: Infinity: is not finite; give a number`,
  ],
  [
    'texts in string maps',
    attribute('{stringMapValue: {entries: {a: 1}}}'),
    `${VALUE}.stringMapValue.entries.a: 1: is a number, not a string; put it in quotes`,
  ],
  [
    'durations with units',
    attribute('{durationValue: "10"}'),
    `${VALUE}.durationValue: "10": does not have the required form; it is: A duration, such as 10s, 1.5s or 1m30s`,
  ],
  [
    'durations that are not negative',
    attribute('{durationValue: -1s}'),
    `${VALUE}.durationValue: "-1s": does not have the required form; it is: A duration, such as 10s, 1.5s or 1m30s`,
  ],
  [
    'durations of at least 1 ms',
    attribute('{durationValue: 0s}'),
    `${VALUE}.durationValue: "0s": is shorter than 1ms; use for example 500ms, 1.5s or 10m`,
  ],
  [
    'durations of whole milliseconds',
    attribute('{durationValue: 1.0005s}'),
    `${VALUE}.durationValue: "1.0005s": is finer than a millisecond; round it to milliseconds`,
  ],
  [
    'durations below 292 years',
    attribute('{durationValue: 99999999h}'),
    `${VALUE}.durationValue: "99999999h": is not a duration; use for example 500ms, 1.5s or 10m`,
  ],
  [
    'regexes that are not empty',
    pattern('{httpMethod: GET, regex: ""}'),
    `${PATTERN}.regex: "": is empty; it is: Instead of uriTemplate: a regular expression in RE2 syntax that matches the whole path with its query`,
  ],
  [
    'templates that are not empty',
    pattern('{httpMethod: GET, uriTemplate: ""}'),
    `${PATTERN}.uriTemplate: "": is empty; it is: URI template (RFC 6570): /pets, /pets/{id}, /words/{term:1}/{term}, /search{?q,lang}; * matches one segment, ** any number`,
  ],
  [
    'methods that are not empty',
    pattern('{httpMethod: "", uriTemplate: /}'),
    `${PATTERN}.httpMethod: "": is empty; it is: HTTP method (RFC 7231) in upper case, for example GET; * (default) is any method`,
  ],
  [
    'attributes with names',
    pattern('{httpMethod: GET, uriTemplate: /, attributes: {attributes: {"": {stringValue: a}}}}'),
    `${PATTERN}.attributes.attributes[""]: is an attribute without a name; name the attribute, for example request.path`,
  ],
];

for (const [what, text, expected] of refused) {
  test(`an HTTPAPISpec must have ${what}`, (t) => {
    t.deepEqual(refusalsOf(text), [`HTTPAPISpec default/api: ${expected}`]);
  });
}

test("a spec's own attributes are checked once, and optional (upstream requires them in each pattern)", (t) => {
  const spec =
    '{attributes: {attributes: {a: {durationValue: 0s}}}, patterns: [{httpMethod: GET, uriTemplate: /}, {httpMethod: PUT, uriTemplate: /}]}';
  t.deepEqual(refusalsOf(apiSpec(spec)), [
    'HTTPAPISpec default/api: spec.attributes.attributes.a.durationValue: "0s": is shorter than 1ms; use for example 500ms, 1.5s or 10m',
  ]);
});

test('an HTTPAPISpec of 10,000 patterns is refused with one clear message', (t) => {
  const patterns = Array(10_000).fill('{httpMethod: GET, uriTemplate: /}').join(', ');
  t.deepEqual(refusalsOf(pattern(patterns)), [
    'HTTPAPISpec default/api: spec.patterns: a list of 10000: has too many items; give at most 1000',
  ]);
});
