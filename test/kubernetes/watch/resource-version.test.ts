import test from 'ava';
import { isOlderVersion } from '../../../src/kubernetes/watch/resource-version.js';

test('versions are compared as numbers, however long', (t) => {
  t.true(isOlderVersion('9', '10'));
  t.true(isOlderVersion('123456789012345678901', '123456789012345678902'));
  t.false(isOlderVersion('10', '9'));
  t.false(isOlderVersion('10', '10'));
});

test('of versions that are no numbers none is older', (t) => {
  t.false(isOlderVersion('', '10'));
  t.false(isOlderVersion('abc', '10'));
  t.false(isOlderVersion('10', 'abc'));
  t.false(isOlderVersion('0', '10'));
});
