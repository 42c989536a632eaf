import test from 'ava';
import { formatSpiffeId, parseSpiffeId } from '../../../src/model/spiffe-id.js';

test('an identity that was written is read back', (t) => {
  const identity = { trustDomain: 'cluster.local', namespace: 'books', serviceAccount: 'shop' };
  t.is(formatSpiffeId(identity), 'spiffe://cluster.local/ns/books/sa/shop');
  t.deepEqual(parseSpiffeId(formatSpiffeId(identity)), identity);
});

test('an @ of a trust domain is written as a dot', (t) => {
  const identity = { trustDomain: 'mesh@example.com', namespace: 'a', serviceAccount: 'b' };
  t.is(formatSpiffeId(identity), 'spiffe://mesh.example.com/ns/a/sa/b');
});

for (const [what, text] of [
  ['another scheme', 'https://cluster.local/ns/a/sa/b'],
  ['no trust domain', 'spiffe:///ns/a/sa/b'],
  ['a path of another form', 'spiffe://cluster.local/workload'],
  ['more after the service account', 'spiffe://cluster.local/ns/a/sa/b/c'],
  ['an empty namespace', 'spiffe://cluster.local/ns//sa/b'],
  ['an escaped slash', 'spiffe://cluster.local/ns/a%2Fx/sa/b'],
  ['a port', 'spiffe://cluster.local:8080/ns/a/sa/b'],
  ['a user', 'spiffe://me@cluster.local/ns/a/sa/b'],
  ['a query', 'spiffe://cluster.local/ns/a/sa/b?x'],
  ['a line break', 'spiffe://cluster.local/ns/a/sa/b\n'],
] as const) {
  test(`${what} is not an identity`, (t) => t.is(parseSpiffeId(text), undefined));
}
