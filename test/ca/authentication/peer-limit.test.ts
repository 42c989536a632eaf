import test from 'ava';
import type { Caller } from '../../../src/ca/authentication/authenticator.js';
import { isTemporaryFailure } from '../../../src/ca/authentication/authenticator.js';
import { limitPeers } from '../../../src/ca/authentication/peer-limit.js';
import { withToken } from './credentials.js';

const CALLER: Caller = { identities: ['spiffe://a'], authenticatedBy: 'orchestrator token' };
const from = (peer: string) => ({ ...withToken('token'), peer });

test('many callers at one address do not keep others from being judged, and the rest comes again', async (t) => {
  const answers: ((caller: Caller) => void)[] = [];
  const authenticate = limitPeers(() => new Promise((answer) => answers.push(answer)), 2);
  const judged = [1, 2].map((port) => authenticate(from(`10.0.0.1:${port}`)));
  const error = await t.throwsAsync(authenticate(from('10.0.0.1:3')), { name: 'AuthenticationError' });
  t.true(isTemporaryFailure(error));
  const other = authenticate(from('[2001:db8::1]:1'));
  t.is(answers.length, 3);

  answers[0]?.(CALLER);
  t.is(await judged[0], CALLER);
  const next = authenticate(from('10.0.0.1:4'));
  for (const answer of answers) answer(CALLER);
  t.deepEqual(await Promise.all([...judged, other, next]), [CALLER, CALLER, CALLER, CALLER]);
});

test('a caller who is refused leaves its place, too', async (t) => {
  const authenticate = limitPeers(() => Promise.reject(new Error('no')), 1);
  for (let count = 0; count < 3; count++) await t.throwsAsync(authenticate(from('10.0.0.1:1')), { message: 'no' });
});
