import test from 'ava';
import { createSubjectLog } from '../../src/telemetry/subject-log.js';
import { createFakeClock } from '../support/fake-clock.js';
import { createRecordingLogger } from '../support/recording-logger.js';

test('each message is logged once per subject and interval, with the number of omitted ones', (t) => {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const log = createSubjectLog(logger, clock, { intervalMs: 1000 });
  for (const subject of ['a', 'a', 'b', 'a']) log.warn(subject, { subject }, 'Refused');
  log.warn('a', { subject: 'a' }, 'Other');
  clock.advance(1000);
  log.warn('a', { subject: 'a' }, 'Refused');
  t.deepEqual(
    logger.records.map(({ message, fields }) => [message, fields]),
    [
      ['Refused', { subject: 'a' }],
      ['Refused', { subject: 'b', suppressed: 1 }],
      ['Other', { subject: 'a', suppressed: 1 }],
      ['Refused', { subject: 'a' }],
    ],
  );
});

test('many subjects fill neither the memory nor the log, and new ones are logged after old ones expire', (t) => {
  const clock = createFakeClock();
  const logger = createRecordingLogger();
  const log = createSubjectLog(logger, clock, { intervalMs: 1000, maxSubjects: 10 });
  for (let subject = 0; subject < 1000; subject++) log.warn(`${subject}`, {}, 'Refused');
  t.is(logger.records.length, 10);
  clock.advance(1000);
  log.warn('late', {}, 'Refused');
  t.deepEqual(logger.records.at(-1)?.fields, { suppressed: 990 });
});
