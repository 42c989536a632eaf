import test from 'ava';
import { messagesOf } from './support.js';

const REFUSE = `handler shop/refuse {compiledAdapter: denier}
  instance shop/any {compiledTemplate: checknothing}`;
const ACTIONS = 'actions: [{handler: refuse, instances: [any]}]';

/** Messages of an analyzer without remedies. */
function said(analyzer: string, text: string): readonly string[] {
  return messagesOf(text, analyzer).map((line) => line.replace(/; (correct|use an|remove|create|charge the) .*/, ''));
}

/** What is said about a rule with this condition. */
function aboutMatch(match: string): readonly string[] {
  return said('misleading-expressions', `rule shop/r {match: '${match}', ${ACTIONS}}\n${REFUSE}`).map((line) =>
    line.replace('MESH0285 rule/shop/r spec.match: ', ''),
  );
}

test('a constant that a regular expression of the request is compared with is MESH0285', (t) => {
  t.deepEqual(aboutMatch('request.path.matches("^/api/")'), [
    'the regular expression is request.path, which the request gives, and the text is "^/api/": write "^/api/".matches(request.path)',
  ]);
  t.deepEqual(aboutMatch('(request.headers["x-a"] | "").matches("a+")'), [
    'the regular expression is request.headers["x-a"], which the request gives, and the text is "a+": write "a+".matches(request.headers["x-a"])',
  ]);
  t.deepEqual(aboutMatch('"^/api/".matches(request.path)'), []);
  t.deepEqual(aboutMatch('request.path.startsWith("/api/") && request.method.matches(request.path)'), []);
});

test('a star inside a pattern, a header in capitals and a value that never is are MESH0285', (t) => {
  t.deepEqual(aboutMatch('match(request.path, "/a*b") && match(request.path, "/a*")'), [
    'the star inside "/a*b" stands for itself: a star stands for any text only at the beginning or end; use matches with a regular expression',
  ]);
  t.deepEqual(aboutMatch('request.headers["X-User"] == "a" && request.headers["x-user"] == "A"'), [
    'request.headers has names in lower case: write "x-user" for "X-User"',
  ]);
  t.deepEqual(aboutMatch('request.method == "get" || (request.method | "none") == "none"'), [
    'request.method is never "get": write "GET"',
  ]);
  t.deepEqual(aboutMatch('(context.protocol | "") == "HTTP"'), [
    'context.protocol is never "HTTP", but one of http, grpc, tcp',
  ]);
  t.deepEqual(aboutMatch('(context.protocol | "") == ""'), []);
});

test('checks that read what is known only after the request are MESH0286, and reports are not', (t) => {
  const rules = (match: string) => `rule shop/r {match: '${match}', ${ACTIONS}}
    rule shop/log {match: '${match}', actions: [{handler: out, instances: [entry]}]}
    handler shop/out {compiledAdapter: stdio}
    instance shop/entry {compiledTemplate: logentry, params: {variables: {code: response.code}}}
    ${REFUSE}`;
  t.deepEqual(said('late-attributes', rules('response.code == 200')), [
    'MESH0286 rule/shop/r spec.match: response.code is known only when the request has ended, so no request that is checked meets it',
  ]);
  t.deepEqual(said('late-attributes', rules('(response.code | 0) == 0')), []);
  t.deepEqual(
    said('late-attributes', 'instance shop/a {compiledTemplate: quota, params: {dimensions: {code: response.code}}}'),
    [
      'MESH0286 instance/shop/a spec.params.dimensions.code: response.code is known only when the request has ended, so the fail policy decides about each request',
    ],
  );
});

test('sampling of a rule that reports nothing is MESH0274', (t) => {
  const sampling = 'sampling: {random: {percentSampled: {numerator: 50}}}';
  t.deepEqual(said('late-attributes', `rule shop/r {${ACTIONS}, ${sampling}}\n${REFUSE}`), [
    'MESH0274 rule/shop/r spec.sampling: sampling has no effect: it chooses the requests that are reported, and no action of the rule reports',
  ]);
});

test('dimensions that an instance does not have are MESH0287, and a quota that nothing charges MESH0288', (t) => {
  const quota = (dimension: string) => `rule shop/r {actions: [{handler: counters, instances: [requests]}]}
    handler shop/counters {compiledAdapter: memquota, params: {quotas: [{name: requests, maxAmount: 1, validDuration: 1s, overrides: [{dimensions: {${dimension}: staff}, maxAmount: 9}]}]}}
    instance shop/requests {compiledTemplate: quota, params: {dimensions: {account: request.path}}}`;
  const uncharged =
    'MESH0288 instance/shop/requests: no QuotaSpec charges quota requests, so the rules that name this instance count no request';
  t.deepEqual(said('unmet-quotas', quota('account')), [uncharged]);
  t.deepEqual(said('unmet-quotas', quota('acount')), [
    'MESH0287 handler/shop/counters spec.params.quotas[0].overrides[0].dimensions.acount: instance/shop/requests has no dimension acount, but account, so the override never applies',
    uncharged,
  ]);
  for (const name of ['requests', 'requests.shop', 'requests.instance.shop']) {
    const spec = `QuotaSpec shop/q {rules: [{quotas: [{quota: ${name}, charge: 1}]}]}`;
    t.deepEqual(said('unmet-quotas', `${quota('account')}\n${spec}`), []);
  }
  t.deepEqual(
    said(
      'unmet-quotas',
      `handler shop/p {compiledAdapter: prometheus, params: {metrics: [{name: a, instanceName: m, kind: COUNTER, labelNames: [y, x]}]}}
      instance shop/m {compiledTemplate: metric, params: {value: '1', dimensions: {y: request.path}}}`,
    ),
    [
      'MESH0287 handler/shop/p spec.params.metrics[0].labelNames[1]: instance/shop/m has no dimension x, but y, so the label is always empty',
    ],
  );
});

test('a reference of the older form is MESH0101, with the form of today', (t) => {
  t.deepEqual(
    said(
      'rule-problems',
      `rule shop/r {actions: [{handler: refuse.denier, instances: [any.checknothing.shop]}]}\n${REFUSE}`,
    ),
    [
      'MESH0101 rule/shop/r spec.actions[0].handler: there is no handler/denier/refuse; denier is no part of references here: write refuse, or refuse.handler.NAMESPACE',
      'MESH0101 rule/shop/r spec.actions[0].instances[0]: there is no instance/shop/any.checknothing; checknothing is no part of references here: write any, or any.instance.NAMESPACE',
    ],
  );
});
