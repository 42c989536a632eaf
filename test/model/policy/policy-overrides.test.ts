import test from 'ava';
import { NodeError } from '../../../src/model/node-error.js';
import { parseNode } from '../../../src/model/parse-node.js';
import type { PolicyOverrides } from '../../../src/model/policy/read-policy-overrides.js';

function overridesOf(metadata: Readonly<Record<string, unknown>>, meshDomain?: string): PolicyOverrides | undefined {
  const locality = { region: '', zone: '', subZone: '' };
  return parseNode({ id: 'sidecar~10.0.0.1~a.b~b.svc', metadata, locality, userAgentVersion: '' }, meshDomain).metadata
    .policy;
}

test('a node that says nothing of policy overrides nothing', (t) => {
  t.is(overridesOf({}), undefined);
  t.is(overridesOf({ 'policy.mesh.internal/check': '' }), undefined);
});

test('the overrides of a node are read from policy.<mesh domain>', (t) => {
  t.deepEqual(
    overridesOf({
      'policy.mesh.internal/check': 'allow-on-error',
      'policy.mesh.internal/checkRetries': '3',
      'policy.mesh.internal/checkBaseRetryWaitTime': '100ms',
      'policy.mesh.internal/checkMaxRetryWaitTime': '2s',
    }),
    { check: 'allow-on-error', checkRetries: 3, checkBaseRetryWaitMs: 100, checkMaxRetryWaitMs: 2000 },
  );
});

test('another mesh domain has other keys', (t) => {
  const metadata = { 'policy.acme.io/check': 'enable', 'policy.mesh.internal/check': 'disable' };
  t.deepEqual(overridesOf(metadata, 'acme.io'), { check: 'enable' });
});

test('retries may be a number as well as a text', (t) => {
  t.deepEqual(overridesOf({ 'policy.mesh.internal/checkRetries': 0 }), { checkRetries: 0 });
});

const REFUSALS = [
  ['check', 'maybe', /"policy\.mesh\.internal\/check" is "maybe".*enable, allow-on-error, disable/],
  ['checkRetries', '-1', /"-1".*a whole number from 0 to 100/],
  ['checkRetries', '101', /"101".*a whole number from 0 to 100/],
  ['checkRetries', '1.5', /"1\.5".*a whole number/],
  ['checkBaseRetryWaitTime', 'soon', /checkBaseRetryWaitTime" is "soon".*a duration of whole milliseconds/],
  ['checkBaseRetryWaitTime', '0s', /"0s".*from 1ms to 24h/],
  ['checkMaxRetryWaitTime', '25h', /"25h".*from 1ms to 24h/],
  ['checkMaxRetryWaitTime', '1.5ms', /"1\.5ms".*whole milliseconds/],
  ['checkMaxRetryWaitTime', {}, /is of type object.*text/],
] as const;

for (const [key, value, message] of REFUSALS) {
  test(`policy.D/${key}: ${JSON.stringify(value)} is rejected with a description of valid values`, (t) => {
    const error = t.throws(() => overridesOf({ [`policy.mesh.internal/${key}`]: value }), { instanceOf: NodeError });
    t.is(error?.code, 'INVALID_METADATA');
    t.regex(error?.message ?? '', message);
  });
}
