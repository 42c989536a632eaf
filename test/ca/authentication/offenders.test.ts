import test from 'ava';
import { AuthenticationError, type Caller } from '../../../src/ca/authentication/authenticator.js';
import { createOffenders, refuseOffenders } from '../../../src/ca/authentication/offenders.js';
import { createTestAuthority } from '../../support/certificate-issuer.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { withCertificate, withToken } from './credentials.js';

const CALLER: Caller = { identities: ['spiffe://a'], authenticatedBy: 'orchestrator token' };
const LIMITS = { burst: 10, perSecond: 2 };
const BLOCKED = { message: /^too many callers at the address 10\.0\.0\.1 failed .* NAV_FAILED_CALLERS_RATE/ };

function create(judge: (token: string | undefined) => Caller) {
  const clock = createFakeClock();
  const offenders = createOffenders(LIMITS, clock);
  let [asked, refused] = [0, 0];
  const authenticate = refuseOffenders(
    async ({ bearerToken }) => {
      asked++;
      return judge(bearerToken);
    },
    offenders,
    () => refused++,
  );
  return {
    clock,
    offenders,
    asked: () => asked,
    refused: () => refused,
    ask: (token: string, peer = '10.0.0.1:1') => authenticate({ ...withToken(token), peer }),
    show: (peer: string) => {
      const { certificate } = createTestAuthority('mesh').issue({ uris: ['spiffe://a'] });
      return authenticate({ ...withCertificate(certificate), peer });
    },
  };
}

const judge = (token: string | undefined): Caller => {
  if (token === 'bad') throw new AuthenticationError('no');
  return CALLER;
};

test('an address whose callers fail too often is rejected without a check, until it pauses', async (t) => {
  const { ask, asked, refused, clock } = create(judge);
  for (let port = 1; port <= 10; port++) await t.throwsAsync(ask('bad', `10.0.0.1:${port}`), { message: 'no' });
  const error = await t.throwsAsync(ask('good', '10.0.0.1:11'), BLOCKED);
  t.like(error, { isOverload: true, isTemporary: true });
  t.deepEqual([asked(), refused()], [10, 1]);
  t.is(await ask('good', '10.0.0.2:1'), CALLER, 'others are not concerned');
  clock.advance(1_000);
  t.is(await ask('good'), CALLER);
});

test('successful callers, and failures of an API server, do not count against an address', async (t) => {
  let isOut = true;
  const { ask, offenders } = create(() => {
    if (isOut) throw new AuthenticationError('no API server', { isTemporary: true });
    return CALLER;
  });
  for (let count = 0; count < 50; count++) await t.throwsAsync(ask('good'), { message: 'no API server' });
  isOut = false;
  for (let count = 0; count < 10_000; count++) await ask('good');
  t.false(offenders.isBlocked('10.0.0.1'));
});

test('a client certificate is still checked at a blocked address', async (t) => {
  const { ask, show } = create(judge);
  for (let count = 0; count < 12; count++) await t.throwsAsync(ask('bad'));
  t.is(await show('10.0.0.1:99'), CALLER);
});

test('an address that continues while it is rejected counts as flooding, until seconds after it stops', async (t) => {
  const { ask, offenders, clock } = create(judge);
  for (let count = 0; count < 10; count++) await t.throwsAsync(ask('bad'));
  t.false(offenders.isFlooding('10.0.0.1'));
  for (let count = 0; count < 1_000; count++) await t.throwsAsync(ask('bad'), BLOCKED);
  t.true(offenders.isFlooding('10.0.0.1'));
  clock.advance(1_500);
  t.deepEqual([offenders.isFlooding('10.0.0.1'), offenders.isBlocked('10.0.0.1')], [false, false]);
});

test('invented addresses take bounded memory', async (t) => {
  const { ask, offenders } = create(judge);
  for (let count = 0; count < 11; count++) await t.throwsAsync(ask('bad'));
  for (let count = 0; count < 10_000; count++) await t.throwsAsync(ask('bad', `[2001:db8::${count.toString(16)}]:1`));
  t.false(offenders.isBlocked('10.0.0.1'), 'the oldest made room');
});
