import test from 'ava';
import { bucketIdOf, readBucketId } from '../../../src/policy/wire/quota-buckets.js';

const charges = new Map([
  ['requests', 1],
  ['tokens', 7],
]);

test('the id of a bucket tells the service, the charges and the dimensions', (t) => {
  const id = bucketIdOf({ type: 'quotas', service: 'web', charges });
  t.deepEqual(readBucketId({ ...id, 'request.api_key': 'k1' }), {
    purpose: { type: 'quotas', service: 'web', charges },
    dimensions: new Map([['request.api_key', 'k1']]),
  });
});

test('the id of a guard has nothing else', (t) => {
  const id = bucketIdOf({ type: 'guard', service: 'web' });
  t.like(readBucketId(id), { purpose: { type: 'guard', service: 'web' } });
  t.is(readBucketId({ ...id, invented: '1' }), undefined);
  t.is(readBucketId({ ...id, guard: 'invented' }), undefined);
});

const BAD: readonly Readonly<Record<string, string>>[] = [
  {},
  { charges: '[["a",1]]' },
  { service: '', charges: '[["a",1]]' },
  { service: 'web' },
  ...['', '{', '{}', '[]', '[1]', '[["a"]]', '[["a",0]]', '[["a",-1]]', '[["a",1.5]]', '[["a","1"]]', '[[1,1]]'].map(
    (text) => ({ service: 'web', charges: text }),
  ),
  { service: 'web', charges: JSON.stringify(Array.from({ length: 101 }, (_, index) => [`q${index}`, 1])) },
];

for (const id of BAD) {
  test(`an id of another form is no bucket: ${JSON.stringify(id).slice(0, 60)}`, (t) => {
    t.is(readBucketId(id), undefined);
  });
}
