import test from 'ava';
import { createIdleKindsLog } from '../../src/bootstrap/idle-kinds-log.js';
import { policyContext } from '../status/analysis/support.js';
import { createRecordingLogger } from '../support/recording-logger.js';

test('the log says once that rules and handlers have no effect', (t) => {
  const logger = createRecordingLogger();
  const log = createIdleKindsLog(logger);
  log.observe(policyContext('QuotaSpec shop/q {}'));
  t.deepEqual(logger.records, []);
  const context = policyContext('rule shop/a {}\nrule shop/b {}\nhandler shop/h {compiledAdapter: noop}');
  log.observe(context);
  log.observe(context);
  t.deepEqual(
    logger.records.map(({ level, fields, message }) => [level, fields['kind'], fields['objects'], message]),
    [
      ['warn', 'handler', 1, 'objects of this kind have no effect'],
      ['warn', 'rule', 2, 'objects of this kind have no effect'],
    ],
  );
});
