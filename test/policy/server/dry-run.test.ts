import test from 'ava';
import { bagOf } from '../../../src/policy/client/attribute-bag.js';
import { compileQuotaSpecs, type QuotaSpecConfig } from '../../../src/policy/client/compile-quota-specs.js';
import { dryRunText } from '../../../src/policy/client/dry-run.js';
import { answerHeaderLines } from '../../../src/policy/server/adapter/answer-headers.js';
import { checkMetadataStruct, readCheckMetadata } from '../../../src/policy/server/adapter/check-metadata.js';
import { compileDryRun } from '../../../src/policy/server/dry-run-quotas.js';

const REFUSALS = [
  { by: 'rule', name: 'rule/shop/accounts', code: 'PERMISSION_DENIED' },
  { by: 'quota', name: 'reads of ädä', code: 'RESOURCE_EXHAUSTED' },
] as const;

test('the refusals of a dry run reach the report of the request over both protocols', (t) => {
  const dryRun = dryRunText(REFUSALS);
  t.is(dryRun, 'rule/shop/accounts PERMISSION_DENIED,quota reads of ädä RESOURCE_EXHAUSTED');
  const metadata = { decision: { checkErrorCode: 0, dryRun } };
  const name = 'envoy.filters.http.ext_authz';
  const overGrpc = readCheckMetadata({ filterMetadata: { [name]: checkMetadataStruct(metadata) } });
  t.is(overGrpc?.decision.dryRun, dryRun);
  const lines = answerHeaderLines(metadata).trimEnd().split('\r\n');
  const fields = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')), { stringValue: line.slice(line.indexOf(':') + 2) }]),
  );
  t.is(readCheckMetadata({ filterMetadata: { [name]: { fields } } })?.decision.dryRun, dryRun);
});

test('the text of a report names at most eight refusals', (t) => {
  const many = Array.from({ length: 20 }, (_, index) => ({ ...REFUSALS[0], name: `rule/shop/r${index}` }));
  t.is(dryRunText(many).split(',').length, 8);
});

test('specs in a dry run charge nothing in force, and are tried with what others charge of their quotas', (t) => {
  const specs: readonly QuotaSpecConfig[] = [
    { rules: [{ quotas: [{ quota: 'reads' }, { quota: 'other' }] }] },
    { dryRun: true, rules: [{ quotas: [{ quota: 'reads', charge: 2 }] }] },
    // An expression that cannot be used must not leave the decision to the fail policy.
    { dryRun: true, rules: [{ match: [{ clause: { 'request.path': { regex: '(' } } }], quotas: [{ quota: 'x' }] }] },
  ];
  const bag = bagOf(new Map([['request.path', { type: 'string', value: '/' }]]));
  const { charges, isUndecided } = compileQuotaSpecs(specs).assess(bag);
  t.deepEqual([charges.map(({ quota }) => quota), isUndecided], [['reads', 'other'], false]);
  const tried = compileDryRun(specs, {}).chargesFor(bag, charges);
  t.deepEqual(
    tried.map(({ quota, charge }) => [quota, charge]),
    [
      ['reads', 1],
      ['reads', 2],
    ],
  );
});
