import { parseTimestampNs } from '../../base/parse-timestamp.js';
import { readDnsName } from '../values/dns-name.js';
import { readEmailAddress } from '../values/email-address.js';
import { Failure } from '../values/failure.js';
import { readIpAddress } from '../values/ip-address.js';
import { checkTextLength } from '../values/made-text.js';
import { shownText } from '../values/shown-text.js';
import { readUri } from '../values/uri.js';
import { COMPARISONS } from './comparisons.js';
import { type ExpressionFunction, valueFunction, valueMethod } from './expression-function.js';

const STAR = '*';

/** What all languages have. */
export const SHARED_FUNCTIONS: readonly ExpressionFunction[] = [
  ...COMPARISONS,
  valueFunction(
    '+',
    ['STRING', 'STRING'],
    'STRING',
    (left, right) => checkTextLength(left.length + right.length) ?? left + right,
  ),
  valueFunction('+', ['DOUBLE', 'DOUBLE'], 'DOUBLE', (left, right) => left + right),
  valueFunction('ip', ['STRING'], 'IP_ADDRESS', readIpAddress),
  valueFunction('timestamp', ['STRING'], 'TIMESTAMP', readTimestamp),
  valueFunction('dnsName', ['STRING'], 'DNS_NAME', readDnsName),
  valueFunction('email', ['STRING'], 'EMAIL_ADDRESS', readEmailAddress),
  valueFunction('uri', ['STRING'], 'URI', readUri),
  valueFunction('match', ['STRING', 'STRING'], 'BOOL', matchGlob),
  valueFunction('toLower', ['STRING'], 'STRING', (text) => text.toLowerCase()),
  valueFunction('emptyStringMap', [], 'STRING_MAP', () => new Map()),
  valueFunction('conditionalString', ['BOOL', 'STRING', 'STRING'], 'STRING', (condition, ifTrue, ifFalse) =>
    condition ? ifTrue : ifFalse,
  ),
  valueMethod('startsWith', ['STRING', 'STRING'], 'BOOL', (text, prefix) => text.startsWith(prefix)),
  valueMethod('endsWith', ['STRING', 'STRING'], 'BOOL', (text, suffix) => text.endsWith(suffix)),
];

/** A star at the end or at the beginning of the pattern stands for any text; a star anywhere else for itself. */
function matchGlob(text: string, pattern: string): boolean {
  if (pattern.endsWith(STAR)) return text.startsWith(pattern.slice(0, -STAR.length));
  if (pattern.startsWith(STAR)) return text.endsWith(pattern.slice(STAR.length));
  return text === pattern;
}

function readTimestamp(text: string): bigint | Failure {
  return (
    parseTimestampNs(text) ?? new Failure(`${shownText(text)} is not a time of RFC 3339, such as 2026-01-31T12:00:00Z`)
  );
}
