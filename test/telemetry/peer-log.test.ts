import test from 'ava';
import { createPeerLog } from '../../src/telemetry/peer-log.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';

test('one peer can neither fill the log nor suppress lines of another', (t) => {
  const logger = createRecordingLogger();
  const log = createPeerLog(logger, createFakeClock(), { perPeer: 3, inAll: 10 });
  for (let count = 0; count < 100; count++) log.warn('loud', { count }, 'rejected');
  log.warn('quiet', {}, 'rejected');
  t.is(logger.records.length, 4);
});

test('the lines of all peers are limited, and the next interval has the number of omitted lines', (t) => {
  const logger = createRecordingLogger();
  const clock = createFakeClock();
  const log = createPeerLog(logger, clock, { perPeer: 3, inAll: 5, intervalMs: 1_000 });
  for (let count = 0; count < 20; count++) log.warn(`peer-${count}`, {}, 'rejected');
  t.is(logger.records.length, 5);
  clock.advance(1_000);
  log.warn('peer-0', {}, 'rejected');
  t.is(logger.records.at(-1)?.fields['suppressed'], 15);
  log.warn('peer-0', {}, 'rejected');
  t.is(logger.records.at(-1)?.fields['suppressed'], undefined);
});
