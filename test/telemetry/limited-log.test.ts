import test from 'ava';
import { createLimitedLog } from '../../src/telemetry/limited-log.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';

test('a message is logged once per ten seconds, then with the number of omitted ones', (t) => {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const log = createLimitedLog(logger, clock);
  for (let index = 0; index < 5; index++) log.error({ index }, 'It failed');
  clock.advance(9999);
  log.error({ index: 5 }, 'It failed');
  clock.advance(1);
  log.error({ index: 6 }, 'It failed');
  clock.advance(10_000);
  log.error({ index: 7 }, 'It failed');
  t.deepEqual(
    logger.records.map(({ fields }) => fields),
    [{ index: 0 }, { index: 6, suppressed: 5 }, { index: 7 }],
  );
});

test('messages are limited independently', (t) => {
  const logger = createRecordingLogger();
  const log = createLimitedLog(logger, createFakeClock());
  log.error({}, 'One');
  log.warn({}, 'Other');
  t.deepEqual(
    logger.records.map(({ level, message }) => [level, message]),
    [
      ['error', 'One'],
      ['warn', 'Other'],
    ],
  );
});
