import test from 'ava';
import { createCertificateProbe } from '../../../src/bootstrap/webhooks/certificate-probe.js';
import { createFakeClock } from '../../support/fake-clock.js';
import { createRecordingLogger } from '../../support/recording-logger.js';

test('an instance without a certificate is not ready for a minute, and then serves its plaintext listeners', (t) => {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  let isServed = false;
  const probe = createCertificateProbe({ isServed: () => isServed, clock, logger });
  const notYet = { ready: false, reason: 'there is no certificate to serve API servers with yet' };
  t.deepEqual(probe.check(), notYet);
  clock.advance(59_999);
  t.deepEqual(probe.check(), notYet);
  clock.advance(1);
  t.deepEqual(probe.check(), { ready: true });
  t.deepEqual(probe.check(), { ready: true });
  t.deepEqual(
    logger.records.map(({ level, message }) => [level, message]),
    [['error', 'no certificate, webhooks and the secured port reject every caller']],
  );

  isServed = true;
  t.deepEqual(probe.check(), { ready: true });
  isServed = false;
  t.deepEqual(probe.check(), notYet);
});
