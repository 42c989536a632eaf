import { generateKeyPairSync } from 'node:crypto';
import test from 'ava';
import { refusalsOf } from '../support/read-yaml.js';

const KEYS = JSON.stringify({ keys: [generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' })] });

function object(spec: string): string {
  return `{apiVersion: security.mesh.internal/v1beta1, kind: RequestAuthentication, metadata: {name: r}, spec: ${spec}}`;
}

const rule = (fields: string, issuer = 'https://a.example.com') =>
  object(`{jwtRules: [{issuer: "${issuer}", ${fields}}]}`);
const URI = 'jwksUri: "https://a.example.com/keys"';

const accepted: Readonly<Record<string, string>> = {
  'an object without rules': object('{}'),
  'a selector': object('{selector: {matchLabels: {app: web}}, jwtRules: [{issuer: "https://a.example.com"}]}'),
  'a rule with the keys themselves': rule(`jwks: '${KEYS}'`, 'accounts@example.com'),
  'a rule with http and https URLs': object(
    `{jwtRules: [{issuer: a, ${URI}}, {issuer: b, jwksUri: "http://keys.shop/b"}]}`,
  ),
  'an issuer whose keys are discovered': rule('audiences: [a, b]'),
  'all places of tokens': rule(`${URI}, fromHeaders: [{name: X-A}, {name: x-b, prefix: "T "}], fromParams: [a]`),
  'an output header': rule(`${URI}, outputPayloadToHeader: x-payload, forwardOriginalToken: true`),
  'empty texts, as absent': rule(`${URI}, jwks: "", outputPayloadToHeader: "", audiences: [], fromHeaders: []`),
};

for (const [what, text] of Object.entries(accepted)) {
  test(`${what} is accepted`, (t) => {
    t.deepEqual(refusalsOf(text), []);
  });
}

const refused: readonly (readonly [what: string, text: string, message: string])[] = [
  ['a rule without issuer', object('{jwtRules: [{jwksUri: "https://a/keys"}]}'), 'spec.jwtRules[0].issuer: is missing'],
  [
    'an issuer that is not a URL, without keys',
    rule('audiences: [a]', 'accounts@example.com'),
    'spec.jwtRules[0].jwksUri: is missing, and the keys cannot be discovered, because issuer "accounts@example.com" is not a URL; set jwksUri or jwks',
  ],
  [
    'a URL of another scheme',
    rule('jwksUri: "file:///etc/passwd"'),
    'spec.jwtRules[0].jwksUri: "file:///etc/passwd": is neither an https nor an http URL; write an https or http URL without credentials',
  ],
  ['a text that is not a URL', rule('jwksUri: keys'), 'spec.jwtRules[0].jwksUri: "keys": is not a URL'],
  [
    'a URL with credentials',
    rule('jwksUri: "https://me:secret@a.example.com/keys"'),
    'spec.jwtRules[0].jwksUri: "https://me:secret@a.example.com/keys": has credentials in it',
  ],
  [
    'keys that are not a set',
    rule('jwks: "{}"'),
    'spec.jwtRules[0].jwks: "{}": is not a JSON Web Key Set: an object with a list "keys"; write the document that the issuer publishes as its keys, or set jwksUri',
  ],
  ['an empty audience', rule(`${URI}, audiences: [""]`), 'spec.jwtRules[0].audiences[0]: ""'],
  [
    'a header with a space',
    rule(`${URI}, fromHeaders: [{name: "x y"}]`),
    'spec.jwtRules[0].fromHeaders[0].name: "x y": is not the name of a header; use letters, digits and "-", for example x-jwt-assertion',
  ],
  ['a pseudo-header', rule(`${URI}, fromHeaders: [{name: ":path"}]`), 'spec.jwtRules[0].fromHeaders[0].name: ":path"'],
  [
    'a prefix with a line break',
    rule(`${URI}, fromHeaders: [{name: a, prefix: "a\\nb"}]`),
    'spec.jwtRules[0].fromHeaders[0].prefix: "a\\nb": has a character that a header cannot have',
  ],
  [
    'an output to the host',
    rule(`${URI}, outputPayloadToHeader: Host`),
    'spec.jwtRules[0].outputPayloadToHeader: "Host": is a header that decides how a request is read; choose another name, for example x-jwt-payload',
  ],
  [
    'an output to the default header of tokens',
    rule(`${URI}, outputPayloadToHeader: Authorization`),
    'spec.jwtRules[0].outputPayloadToHeader: "Authorization": is a header in which tokens arrive, and proxies remove it from requests',
  ],
  [
    'an output to a header in which another rule expects tokens',
    object(
      `{jwtRules: [{issuer: a, ${URI}, fromHeaders: [{name: X-T}]}, {issuer: b, ${URI}, outputPayloadToHeader: x-t}]}`,
    ),
    'spec.jwtRules[1].outputPayloadToHeader: "x-t": is a header in which tokens arrive',
  ],
  ['a control character in a parameter', rule(`${URI}, fromParams: ["a\\u0007"]`), 'spec.jwtRules[0].fromParams[0]'],
  ['half of a surrogate pair', rule(`${URI}, audiences: ["\\ud800"]`), 'spec.jwtRules[0].audiences[0]'],
  ['a wildcard in a label', object('{selector: {matchLabels: {app: "*"}}}'), 'spec.selector.matchLabels.app: "*"'],
];

for (const [what, text, message] of refused) {
  test(`${what} is refused`, (t) => {
    const [first = '', ...others] = refusalsOf(text);
    t.true(first.includes(message), `${first}\n${message}`);
    t.deepEqual(others, []);
  });
}
