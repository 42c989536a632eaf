import type { Violation } from '../violation.js';
import { readKeySet } from './json-web-keys.js';
import { faultOfKeyUrl, keySourceOf } from './key-source.js';
import type { JwtRule, RequestAuthenticationSpec } from './request-authentication.js';
import { validateWorkloadSelector } from './workload-selector.js';

const HEADER_NAME = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const CONTROL = /\p{Cc}/u;
/** Half of a character of UTF-16, which YAML can write. Envoy rejects texts that are not UTF-8. */
const LONE_SURROGATE = /\p{Surrogate}/u;
/** Headers that decide how a request is read and where it goes. */
const RESERVED_HEADERS: readonly string[] = [
  'host',
  'connection',
  'content-length',
  'transfer-encoding',
  'te',
  'upgrade',
];
/** The header of tokens without fromHeaders and fromParams. */
const DEFAULT_HEADER = 'authorization';

/** Rules that the schema cannot express (docs/reference/validation-rules.md#requestauthentication). */
export function validateRequestAuthentication(spec: RequestAuthenticationSpec): readonly Violation[] {
  const { selector, jwtRules = [] } = spec;
  const tokenHeaders = new Set(jwtRules.flatMap(tokenHeadersOf));
  return [
    ...validateWorkloadSelector(selector),
    ...jwtRules.flatMap((rule, index) => {
      const path = `jwtRules[${index}]`;
      return [
        ...validateTexts(rule, path),
        ...validateKeys(rule, path),
        ...validateHeaders(rule, path),
        ...validateOutput(rule, path, tokenHeaders),
      ];
    }),
  ];
}

function tokenHeadersOf({ fromHeaders = [], fromParams = [] }: JwtRule): readonly string[] {
  if (fromHeaders.length === 0 && fromParams.length === 0) return [DEFAULT_HEADER];
  return fromHeaders.map(({ name }) => name.toLowerCase());
}

function validateTexts({ issuer, audiences = [], fromParams = [] }: JwtRule, path: string): readonly Violation[] {
  const texts: readonly (readonly [string, string])[] = [
    [`${path}.issuer`, issuer],
    ...audiences.map((value, index) => [`${path}.audiences[${index}]`, value] as const),
    ...fromParams.map((value, index) => [`${path}.fromParams[${index}]`, value] as const),
  ];
  return texts.flatMap(([at, value]) =>
    LONE_SURROGATE.test(value) || CONTROL.test(value)
      ? [
          {
            path: at,
            value,
            message: 'has a control character or half of a surrogate pair',
            remedy: 'write it as the tokens or requests have it',
          },
        ]
      : [],
  );
}

function validateKeys(rule: JwtRule, path: string): readonly Violation[] {
  const { issuer, jwksUri = '', jwks = '' } = rule;
  if (jwks !== '') {
    const reading = readKeySet(jwks, true);
    if (reading.type === 'keys') return [];
    const remedy = 'write the document that the issuer publishes as its keys, or set jwksUri';
    return [{ path: `${path}.jwks`, value: jwks, message: reading.reason, remedy }];
  }
  if (jwksUri !== '') {
    const fault = faultOfKeyUrl(jwksUri);
    if (fault === undefined) return [];
    return [
      {
        path: `${path}.jwksUri`,
        value: jwksUri,
        message: fault,
        remedy: 'write an https or http URL without credentials',
      },
    ];
  }
  if (faultOfKeyUrl(keySourceOf(rule)?.url ?? '') === undefined) return [];
  return [
    {
      path: `${path}.jwksUri`,
      message: `is missing, and the keys cannot be discovered, because issuer ${JSON.stringify(issuer)} is not a URL`,
      remedy: 'set jwksUri or jwks',
    },
  ];
}

function validateHeaders({ fromHeaders = [] }: JwtRule, path: string): readonly Violation[] {
  return fromHeaders.flatMap(({ name, prefix = '' }, index) => {
    const at = `${path}.fromHeaders[${index}]`;
    const violations: Violation[] = [];
    if (!HEADER_NAME.test(name)) violations.push(notAHeader(`${at}.name`, name));
    if (CONTROL.test(prefix) || LONE_SURROGATE.test(prefix)) {
      violations.push({
        path: `${at}.prefix`,
        value: prefix,
        message: 'has a character that a header cannot have',
        remedy: 'write the text before the token, for example "Bearer "',
      });
    }
    return violations;
  });
}

function validateOutput(
  { outputPayloadToHeader: name = '' }: JwtRule,
  rule: string,
  tokenHeaders: ReadonlySet<string>,
): readonly Violation[] {
  if (name === '') return [];
  const path = `${rule}.outputPayloadToHeader`;
  if (!HEADER_NAME.test(name)) return [notAHeader(path, name)];
  const lower = name.toLowerCase();
  if (RESERVED_HEADERS.includes(lower)) {
    const remedy = 'choose another name, for example x-jwt-payload';
    return [{ path, value: name, message: 'is a header that decides how a request is read', remedy }];
  }
  if (tokenHeaders.has(lower)) {
    const message = 'is a header in which tokens arrive, and proxies remove it from requests';
    return [{ path, value: name, message, remedy: 'choose another name, for example x-jwt-payload' }];
  }
  return [];
}

function notAHeader(path: string, value: string): Violation {
  return {
    path,
    value,
    message: 'is not the name of a header',
    remedy: 'use letters, digits and "-", for example x-jwt-assertion',
  };
}
