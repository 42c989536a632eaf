import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import test from 'ava';
import { systemClock } from '../../../src/base/clock.js';
import { createPolicyConfiguration } from '../../../src/bootstrap/policy/policy-configuration.js';
import { eventually } from '../../support/eventually.js';
import { createRecordingLogger } from '../../support/recording-logger.js';
import { writeWhole } from '../../support/write-whole.js';

const CUSTODY = {
  recall: async () => undefined,
  keep: () => undefined,
  forget: () => undefined,
  refused: () => undefined,
};

test('while a changed configuration cannot be applied, the former one stays in force as a whole', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-policy-configuration-'));
  t.teardown(() => rm(folder, { recursive: true, force: true }));
  const configFile = join(folder, 'policy.yaml');
  await writeWhole(configFile, 'reports: {log: true}\n');
  const logger = createRecordingLogger();
  const configuration = createPolicyConfiguration({
    configFile,
    configDefaults: {},
    custody: CUSTODY,
    logging: { scope: () => logger } as never,
    clock: systemClock,
  });
  t.teardown(() => configuration.stop());
  let isUsable = true;
  await configuration.start(() => {
    if (!isUsable) throw new Error('a key file is missing');
  });
  t.true(configuration.current().reports.log);

  isUsable = false;
  await writeWhole(configFile, 'reports: {log: false}\nquotas: [{name: requests, maxAmount: 1, validDuration: 1s}]\n');
  await eventually('the change is refused', () => configuration.problems().length > 0);
  t.true(configuration.current().reports.log);
  t.false(configuration.countsInMemory());
  t.is(configuration.limitedQuotas()?.size, 0);

  isUsable = true;
  configuration.reapply();
  t.false(configuration.current().reports.log);
  t.true(configuration.countsInMemory());
  t.deepEqual(configuration.problems(), []);
});
