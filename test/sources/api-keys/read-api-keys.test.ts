import test from 'ava';
import { readApiKeys } from '../../../src/sources/api-keys/read-api-keys.js';

const reasonOf = (text: string): string => {
  const state = readApiKeys(new Map([['keys', text]]));
  return state.type === 'unusable' ? `${state.reason}; ${state.remedy}` : state.type;
};

test('keys that are too long or too many make a Secret unusable, and no reason has a key', (t) => {
  t.is(reasonOf('k'.repeat(4096)), 'keys');
  t.is(reasonOf('k'.repeat(4097)), 'its entry keys has a line of more than 4096 characters; write a key on each line');
  const keys = (count: number) => Array.from({ length: count }, (_, index) => `key-${index}`).join('\n');
  t.is(reasonOf(keys(1000)), 'keys');
  t.is(reasonOf(keys(1001)), 'it has more than 1000 keys; use several Secrets');
});
