import test from 'ava';
import { policyObjects } from '../../status/analysis/support.js';
import { createRuleRig } from './rule-rig.js';

const LOG = `handler shop/log {compiledAdapter: stdio}
  instance shop/line {compiledTemplate: logentry, params: {variables: {path: request.path}}}`;

/** Reports requests with these paths, and returns the paths of the written lines. */
function rigWith(sampling: string, more: Parameters<typeof createRuleRig>[0] = {}) {
  const rig = createRuleRig(more);
  const rule = `rule shop/r {actions: [{handler: log, instances: [line]}], sampling: ${sampling}}`;
  const objects = policyObjects(`${rule}\n${LOG}`);
  const apply = (others = '') => rig.applyObjects([...objects, ...policyObjects(others)]);
  apply();
  return {
    ...rig,
    applyAgain: apply,
    reported: (paths: readonly string[]): readonly string[] => {
      for (const path of paths) rig.report({ 'request.path': path });
      rig.clock.advance(100);
      return rig.lines.splice(0).map((line) => /"path":"([^"]*)"/.exec(line)?.[1] ?? line);
    },
  };
}

const numbered = (count: number) => Array.from({ length: count }, (_, index) => `/${index}`);

test('a share of the requests is reported, at random', (t) => {
  let next = 0;
  const { reported } = rigWith('{random: {percentSampled: {numerator: 25}}}', { random: () => (next++ % 100) / 100 });
  t.is(reported(numbered(200)).length, 50);
});

test('requests with equal texts get equal decisions, in the share that is set, in every policy server', (t) => {
  const sampling =
    '{random: {attributeExpression: request.path, percentSampled: {numerator: 2000, denominator: TEN_THOUSAND}}}';
  const first = rigWith(sampling).reported(numbered(1000));
  t.true(first.length > 150 && first.length < 250, `${first.length} of 1000`);
  t.deepEqual(rigWith(sampling, { random: () => 0 }).reported(numbered(1000)), first);
});

test('a share without percentSampled is none, and a request without the text is sampled at random', (t) => {
  t.deepEqual(rigWith('{random: {}}', { random: () => 0 }).reported(['/a']), []);
  const byHeader = '{random: {attributeExpression: source.namespace, percentSampled: {numerator: 50}}}';
  t.deepEqual(rigWith(byHeader, { random: () => 0.4 }).reported(['/a']), ['/a']);
  t.deepEqual(rigWith(byHeader, { random: () => 0.6 }).reported(['/a']), []);
});

test('the first requests of a window are reported, then one of some, and the next window begins again', (t) => {
  const rig = rigWith('{rateLimit: {samplingDuration: 10s, maxUnsampledEntries: 2, samplingRate: 3}}');
  t.deepEqual(rig.reported(numbered(8)), ['/0', '/1', '/4', '/7']);
  // A change of other objects does not begin a window.
  rig.applyAgain('handler shop/other {compiledAdapter: noop}');
  t.deepEqual(rig.reported(numbered(3)), ['/2']);
  rig.clock.advance(10_000);
  t.deepEqual(rig.reported(numbered(3)), ['/0', '/1']);
});

test('sampling leaves checks of the rule as they are', (t) => {
  const rig = createRuleRig();
  rig.apply(`rule shop/r {actions: [{handler: refuse, instances: [any]}], sampling: {random: {}}}
    handler shop/refuse {compiledAdapter: denier}
    instance shop/any {compiledTemplate: checknothing}`);
  t.like(rig.check({}), { status: { code: 'FAILED_PRECONDITION' } });
});
