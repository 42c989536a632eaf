import test from 'ava';
import { checkExpression } from '../../src/expressions/check-expression.js';
import { ATTRIBUTES } from './support/attribute-types.js';

const VALID: readonly (readonly [expression: string, type: string])[] = [
  ['request.size | 200', 'INT64'],
  ['request.headers["x-user"] | "nobody"', 'STRING'],
  ['(request.auth.principal | "nobody") == "user1"', 'BOOL'],
  ['request.auth.principal | "nobody" == "user1"', 'BOOL'],
  ['match(destination.service, "*.ns1.svc.cluster.local")', 'BOOL'],
  ['source.ip == ip("10.11.12.13")', 'BOOL'],
  ['source.ip | ip("0.0.0.0")', 'IP_ADDRESS'],
  ['connection.duration | "0ms"', 'DURATION'],
  ['request.time | timestamp("2015-01-02T15:04:35Z")', 'TIMESTAMP'],
  ['source.labels | emptyStringMap()', 'STRING_MAP'],
  ['conditional((context.reporter.kind | "inbound") == "outbound", "source", "destination")', 'STRING'],
  ['conditional(flag, 43, 24)', 'INT64'],
  ['"svc.*".matches(destination.service)', 'BOOL'],
  ['destination.service.startsWith("acme")', 'BOOL'],
  ['request.host + request.path', 'STRING'],
  ['size("admin")', 'INT64'],
  ['toLower(key) == "0"', 'BOOL'],
  ['map["1s"]', 'STRING'],
  ['"0"', 'DURATION'],
  ['True || FALSE', 'BOOL'],
  ['.5 + 1e3', 'DOUBLE'],
  ["key == 'x'", 'BOOL'],
  ['key == `a\\d`', 'BOOL'],
  ['key /* the caller */ == "a" // or nobody', 'BOOL'],
];

for (const [expression, type] of VALID) {
  test(`${expression} is a ${type}`, (t) => {
    t.deepEqual(checkExpression(expression, ATTRIBUTES, 'legacy'), { type } as never);
  });
}

const INVALID: readonly (readonly [expression: string, message: string])[] = [
  ['', '1:1: the expression is empty'],
  ['count = 2', '1:7: found "=", expected a name, a value or an operator'],
  ['count ==', '1:9: found the end of the expression, expected a name, a value or ('],
  ['(count == 2', '1:12: found the end of the expression, expected an operator or )'],
  ['count 2', '1:7: found "2", expected an operator'],
  ['@23', '1:1: found "@", expected a name, a value or an operator'],
  ['request.sise', '1:1: unknown attribute request.sise: did you mean request.size?'],
  ['nothing.like.it', '1:1: unknown attribute nothing.like.it: declare it in an attributemanifest'],
  ['request.headers.host', '1:1: unknown attribute request.headers.host: write request.headers["host"]'],
  ['matsh(key, "a")', '1:1: unknown function matsh: did you mean match?'],
  ['true == count', '1:6: found BOOL == INT64: expected'],
  ['count == true', '1:7: found INT64 == BOOL: expected'],
  ['map == map', '1:5: found STRING_MAP == STRING_MAP, a type that == does not accept: expected'],
  ['match(key, 1)', '1:12: found match(STRING, INT64), expected match(STRING, STRING)'],
  ['ip("a", "b")', '1:1: found ip(STRING, STRING), expected ip(STRING)'],
  ['startsWith("a")', '1:1: found startsWith(…), expected value.startsWith(…)'],
  ['key.toLower()', '1:5: found .toLower(…), expected toLower(…)'],
  ['count && true', '1:1: found INT64, expected BOOL on the left of &&'],
  ['request.size | "200x"', '1:16: found STRING, expected INT64 on both sides of |'],
  ['map[1]', '1:5: found INT64, expected STRING as the key of a map'],
  ['key["a"]', '1:1: found STRING[…], expected a STRING_MAP before ['],
  ['!flag', '1:1: found !, which the language legacy does not have'],
  ['count / other', '1:7: found /, which the language legacy does not have'],
  ['"(".matches(key)', '1:1: the regular expression is not a regular expression: missing closing )'],
  ["key == 'ab'", '1:8: found a string of 2 characters in single quotes, which are for one: use double quotes'],
  ['key == "a', '1:8: the string has no closing "'],
  ['key ==\n  "\\q"', '2:4: found the escape "\\\\q", which has no meaning'],
  ['9223372036854775808', '1:1: 9223372036854775808 does not fit into 64 bits'],
  [`${'('.repeat(60)}1${')'.repeat(60)}`, '1:52: the expression nests deeper than 50 levels'],
  [`key${' '.repeat(9000)}`, '1:8193: the expression has 9003 characters, but may have at most 8192'],
  [Array.from({ length: 600 }, () => 'flag').join('||'), 'the expression has more than 1000 names'],
];

for (const [expression, message] of INVALID) {
  test(`${JSON.stringify(expression.slice(0, 60))} is an error: ${message}`, (t) => {
    const checked = checkExpression(expression, ATTRIBUTES, 'legacy');
    t.true('error' in checked && checked.error.message.includes(message), JSON.stringify(checked));
  });
}
