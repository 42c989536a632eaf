import test from 'ava';
import { ATTRIBUTE_VOCABULARY } from '../../../src/config/attributes/attribute-vocabulary.js';
import { analysisInputOf } from '../../../src/status/analysis/analysis-input.js';
import { analyze } from '../../../src/status/analysis/analyze.js';
import { findIneffectiveAttributes } from '../../../src/status/analysis/analyzers/ineffective-attributes.js';
import { createCandidateAnalysis } from '../../../src/status/analysis/candidate/analyze-candidate.js';
import { ENFORCEMENT, messagesOf, policyContext, policyObject, shown } from './support.js';

const ANALYZER = 'ineffective-attributes';
const PLACE = 'QuotaSpec/shop/a spec.rules[0].match[0].clause';
const UNMET = 'no request meets the condition';
const CORRECT = 'correct the value: docs/attributes.md says what the attribute holds';
const API =
  'HTTPAPISpec shop/api {attributes: {attributes: {api.team: {stringValue: pets}}}, patterns: [{httpMethod: GET, uriTemplate: /}]}';

const WITHOUT_TEXT: readonly string[] = ['int64', 'bool', 'timestamp', 'duration'];

function told(clause: string, others = ''): readonly string[] {
  return messagesOf(
    `QuotaSpec shop/a {rules: [{match: [{clause: ${clause}}], quotas: [{quota: q}]}]}\n${others}`,
    ANALYZER,
  );
}

test('a condition on a misspelt attribute is MESH0231 with the right name', (t) => {
  const remedy =
    'use an attribute of docs/attributes.md, or set it by an HTTPAPISpec of the service; leave it if callers forward it';
  t.deepEqual(told('{source.usr: {exact: x}}'), [
    `MESH0231 ${PLACE}["source.usr"]: there is no attribute source.usr (did you mean source.user?); ${UNMET}; ${remedy}`,
  ]);
  t.deepEqual(told('{"request.header[x-user]": {exact: x}}'), [
    `MESH0231 ${PLACE}["request.header[x-user]"]: there is no attribute request.header (did you mean request.headers[x-user]?); ${UNMET}; ${remedy}`,
  ]);
  t.deepEqual(told('{"source.ip[a]": {exact: x}}'), [
    `MESH0231 ${PLACE}["source.ip[a]"]: source.ip is not a map, so it has no entry [a]; ${UNMET}; ${remedy}`,
  ]);
});

test('a condition on an attribute that only a report has is MESH0232', (t) => {
  t.deepEqual(told('{response.code: {exact: "200"}}'), [
    `MESH0232 ${PLACE}["response.code"]: response.code is known only at the end of the request or connection; ${UNMET}; use an attribute that docs/attributes.md says is known at a check`,
  ]);
});

const IMPOSSIBLE: readonly (readonly [clause: string, why: string])[] = [
  [
    '{request.headers: {exact: x}}',
    'request.headers is a map: use one of its entries, for example request.headers[x-user]',
  ],
  ['{request.time: {exact: x}}', 'request.time has the type timestamp, which conditions on texts do not match'],
  ['{connection.mtls: {exact: "yes"}}', 'connection.mtls has the type bool, which conditions on texts do not match'],
  ['{context.protocol: {exact: https}}', 'context.protocol never is "https" (did you mean http?)'],
  ['{request.scheme: {prefix: ftp}}', 'request.scheme never begins with "ftp"'],
  [
    '{source.principal: {exact: "spiffe://cluster.local/ns/a/sa/b"}}',
    'source.principal has no spiffe:// (did you mean cluster.local/ns/a/sa/b?)',
  ],
  [
    '{source.ip: {exact: 10.0.0.0/8}}',
    'source.ip is an IP address, and "10.0.0.0/8" is not: for a range use prefix or regex',
  ],
  ['{destination.ip: {prefix: web}}', 'destination.ip is an IP address, and no IP address begins with "web"'],
  ['{destination.port: {exact: http}}', 'destination.port has the type int64, which conditions on texts do not match'],
];

for (const [clause, why] of IMPOSSIBLE) {
  test(`the condition ${clause} is MESH0233`, (t) => {
    const messages = told(clause);
    t.is(messages.length, 1);
    t.true(messages[0]?.startsWith('MESH0233 '), messages[0]);
    t.true(messages[0]?.endsWith(`: ${why}; ${UNMET}; ${CORRECT}`), messages[0]);
  });
}

test('an attribute that an HTTPAPISpec sets is known, with the values that it sets', (t) => {
  t.is(told('{api.team: {exact: pets}}').length, 1);
  t.deepEqual(told('{api.team: {exact: pets}}', API), []);
  t.deepEqual(told('{api.team: {prefix: pe}}', API), []);
  t.deepEqual(told('{api.team: {regex: .*}}', API), []);
  t.regex(
    told('{api.team: {exact: pet}}', API)[0] ?? '',
    /^MESH0233 .*api.team never is "pet" \(did you mean pets\?\)/,
  );
  t.regex(told('{api.service: {exact: pets}}', API)[0] ?? '', /^MESH0231 .*no HTTPAPISpec sets api.service/);
});

test('attributes that requests have, and entries of maps, get no message', (t) => {
  const clauses = ATTRIBUTE_VOCABULARY.filter(({ known, setBy }) => known === 'check' && setBy !== 'HTTPAPISpec')
    .filter(({ type }) => !WITHOUT_TEXT.includes(type))
    .map(({ name, type }) => `"${name}${type === 'stringMap' ? '[key]' : ''}": {regex: .*}`);
  t.true(clauses.length > 30);
  const binding = 'QuotaSpecBinding shop/b {services: [{name: web, labels: {key: x}}], quotaSpecs: [{name: a}]}';
  t.deepEqual(told(`{${clauses.join(', ')}}`, binding), []);
});

test('every attribute of the table that conditions cannot use gets a message with its name', (t) => {
  const useless = ATTRIBUTE_VOCABULARY.filter(({ known, type }) => known === 'report' || WITHOUT_TEXT.includes(type));
  for (const { name } of useless) t.is(told(`{${name}: {exact: x}}`).length, 1, name);
});

test('a charge of a quota gets a message if no request has the dimension of the quota', (t) => {
  const context = policyContext('QuotaSpec shop/a {rules: [{quotas: [{quota: good}, {quota: bad}, {quota: late}]}]}');
  const quotaDimensions = new Map([
    ['good', ['request.api_key', 'request.headers[x-user]', 'source.ip']],
    ['bad', ['request.apikey']],
    ['late', ['response.code']],
  ]);
  const messages = analyze(analysisInputOf(context, { ...ENFORCEMENT, quotaDimensions }), {
    [ANALYZER]: findIneffectiveAttributes,
  });
  const effect = (quota: string) =>
    `quota ${quota} has it as a dimension in the file of --policyConfig, which does not distinguish callers`;
  t.deepEqual(messages.map(shown), [
    `MESH0231 QuotaSpec/shop/a spec.rules[0].quotas[1].quota: there is no attribute request.apikey (did you mean request.api_key?); ${effect('bad')}; use an attribute of docs/attributes.md, or set it by an HTTPAPISpec of the service; leave it if callers forward it`,
    `MESH0232 QuotaSpec/shop/a spec.rules[0].quotas[2].quota: response.code is known only at the end of the request or connection; ${effect('late')}; use an attribute that docs/attributes.md says is known at a check`,
  ]);
});

test('a spec with a misspelt attribute gets a message at admission, unless other objects set the attribute', (t) => {
  const candidate = (clause: string) =>
    policyObject(`QuotaSpec shop/a {rules: [{match: [{clause: ${clause}}], quotas: [{quota: q}]}]}`);
  const analysis = createCandidateAnalysis(policyContext(API));
  const codes = (clause: string) => analysis(candidate(clause), ENFORCEMENT).map(({ code }) => code);
  t.true(codes('{source.usr: {exact: x}}').includes('MESH0231'));
  t.false(codes('{api.team: {exact: pets}}').includes('MESH0231'));
});

test('only the first twenty conditions that no request meets get a message', (t) => {
  const clause = Array.from({ length: 100 }, (_, index) => `no-attribute-${index}: {exact: x}`).join(', ');
  t.is(told(`{${clause}}`).length, 20);
});
