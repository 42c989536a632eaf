import test from 'ava';
import { trustOf, withTrust } from '../../../src/webhooks/certificates/webhook-configuration.js';

const entry = (name: string, caBundle?: string, failurePolicy = 'Fail') => ({
  name,
  clientConfig: { service: { name: 'meshd' }, ...(caBundle === undefined ? {} : { caBundle }) },
  failurePolicy,
  timeoutSeconds: 5,
});
const configuration = (...webhooks: object[]) => ({ metadata: { name: 'a', resourceVersion: '7' }, webhooks });

test('every entry gets the roots and the policy; all else stays, the version too', (t) => {
  t.deepEqual(withTrust(configuration(entry('a'), entry('b', 'old', 'Ignore')), 'new', 'Fail'), {
    metadata: { name: 'a', resourceVersion: '7' },
    webhooks: [entry('a', 'new'), entry('b', 'new')],
  });
});

test('what is right already is left alone', (t) => {
  t.is(withTrust(configuration(entry('a', 'new'), entry('b', 'new')), 'new', 'Fail'), undefined);
});

test('one entry that is not right is enough for a change, in its roots or its policy', (t) => {
  t.not(withTrust(configuration(entry('a', 'new'), entry('b', 'old')), 'new', 'Fail'), undefined);
  t.not(withTrust(configuration(entry('a', 'new'), entry('b', 'new', 'Ignore')), 'new', 'Fail'), undefined);
});

test('without entries there is nothing to change, whatever was sent', (t) => {
  for (const body of [configuration(), {}, undefined, 'text', { webhooks: 'none' }]) {
    t.is(withTrust(body, 'new', 'Fail'), undefined);
  }
});

test('what an entry trusts is told by its name', (t) => {
  const found = configuration(entry('a', 'roots'), entry('b'));
  t.is(trustOf(found, 'a'), 'roots');
  t.is(trustOf(found, 'b'), '');
  t.is(trustOf(found, 'c'), undefined);
  t.is(trustOf({}, 'a'), undefined);
});
