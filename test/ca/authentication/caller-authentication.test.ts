import test from 'ava';
import { AuthenticationError, type Authenticator, type Caller } from '../../../src/ca/authentication/authenticator.js';
import { createCallerAuthentication } from '../../../src/ca/authentication/caller-authentication.js';
import { NOTHING, withToken } from './credentials.js';

const caller = (authenticatedBy: Caller['authenticatedBy']): Caller => ({
  identities: ['spiffe://a'],
  authenticatedBy,
});

function authenticator(
  name: Caller['authenticatedBy'],
  outcome: Caller | Error | undefined,
  asked: string[] = [],
): Authenticator {
  return {
    name,
    authenticate: async () => {
      asked.push(name);
      if (outcome instanceof Error) throw outcome;
      return outcome;
    },
  };
}

test('the first authenticator that succeeds wins, and the others are not asked', async (t) => {
  const asked: string[] = [];
  const authenticate = createCallerAuthentication([
    authenticator('client certificate', undefined, asked),
    authenticator('orchestrator token', caller('orchestrator token'), asked),
    authenticator('OIDC token', caller('OIDC token'), asked),
  ]);
  t.is((await authenticate(withToken('token'))).authenticatedBy, 'orchestrator token');
  t.deepEqual(asked, ['client certificate', 'orchestrator token']);
});

test('after a failure the next authenticator is asked', async (t) => {
  const authenticate = createCallerAuthentication([
    authenticator('client certificate', new AuthenticationError('bad')),
    authenticator('orchestrator token', new Error('down')),
    authenticator('OIDC token', caller('OIDC token')),
  ]);
  t.is((await authenticate(withToken('token'))).authenticatedBy, 'OIDC token');
});

test('the error names every reason, without the text of errors that are not ours', async (t) => {
  const authenticate = createCallerAuthentication([
    authenticator('client certificate', new AuthenticationError('its names are odd')),
    authenticator('orchestrator token', new Error('token abc could not be sent')),
    authenticator('OIDC token', undefined),
  ]);
  const error = await t.throwsAsync(authenticate(withToken('token')), { name: 'AuthenticationError' });
  t.is(
    error?.message,
    'client certificate: its names are odd; orchestrator token: the API server or issuer gives no answer',
  );
});

test('a caller without credentials, or with credentials that no authenticator checks, gets a reason', async (t) => {
  const authenticate = createCallerAuthentication([authenticator('client certificate', undefined)]);
  await t.throwsAsync(authenticate(NOTHING), {
    message: 'the caller has shown neither a client certificate nor a bearer token',
  });
  await t.throwsAsync(authenticate(withToken('token')), {
    message: 'no authenticator is configured for these credentials',
  });
});
