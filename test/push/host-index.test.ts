import test from 'ava';
import { inOneStep } from '../../src/base/steps.js';
import { changedHosts, createHostIndex, mergeChangedHosts } from '../../src/push/host-index.js';
import { pushRequest } from '../support/push-requests.js';

const hostOf = (name: string): string => name.slice(name.lastIndexOf('|') + 1);

test('the names of a host are found in their order, and none for a host that is not asked for', (t) => {
  const index = createHostIndex();
  const names = { id: '1', names: ['80|a', '80|b', '90|a', 'c'], characters: 13 };
  t.deepEqual(inOneStep(index.namesOf(names, new Set(['a']), hostOf)), ['80|a', '90|a']);
  t.deepEqual(inOneStep(index.namesOf(names, new Set(['b', 'c', 'd']), hostOf)), ['80|b', 'c']);
  const others = { id: '2', names: ['70|a'], characters: 4 };
  t.deepEqual(inOneStep(index.namesOf(others, new Set(['a']), hostOf)), ['70|a']);
});

test('a full push may have changed everything, also when it is merged with other changes', (t) => {
  const some = changedHosts(pushRequest({ full: false, endpoints: new Set(['a']) }));
  const all = changedHosts(pushRequest({ full: true, endpoints: new Set(['a']) }));
  t.deepEqual(some, new Set(['a']));
  t.is(all, 'everything');
  t.is(mergeChangedHosts(some, all), 'everything');
  t.is(mergeChangedHosts(all, some), 'everything');
  t.deepEqual(mergeChangedHosts(some, new Set(['b'])), new Set(['a', 'b']));
});
