import test from 'ava';
import { OwnedProcesses } from '../../../bench/subject/owned-process.js';
import { measureWebhook } from '../../../bench/webhook/measure-webhook.js';
import { startWebhookProcess } from '../../../bench/webhook/webhook-process.js';
import { formatWebhookReport, isWebhookGoalMet } from '../../../bench/webhook/webhook-report.js';
import { buildWebhookWorkload } from '../../../bench/webhook/webhook-workload.js';

test('a webhook server in a separate process gets requests on a schedule and answers all', async (t) => {
  const size = { rules: 5, services: 20 };
  const { mesh, reviews } = buildWebhookWorkload(size);
  const processes = new OwnedProcesses();
  t.teardown(() => processes.endAll());
  const server = await startWebhookProcess('server', { mesh }, processes);
  t.is(server.objects, mesh.length);
  const result = await measureWebhook(server, { reviews, perSecond: 20, seconds: 1, warmUpSeconds: 0.1 });
  t.like(result, { requests: 20, failed: 0, warnings: 1 });
  t.true(result.p50Ms > 0 && result.p50Ms <= result.p99Ms && result.p99Ms <= result.maxMs);
  t.regex(
    formatWebhookReport(size, 20, { server: result, floor: result }),
    /QuotaSpecs of 5 rules over HTTPS, with warnings, in a mesh of 20 services/,
  );
});

test('the floor parses the same reviews and allows them without a message', async (t) => {
  const { mesh, reviews } = buildWebhookWorkload({ rules: 5, services: 20 });
  const processes = new OwnedProcesses();
  t.teardown(() => processes.endAll());
  const floor = await startWebhookProcess('floor', { mesh }, processes);
  const result = await measureWebhook(floor, { reviews, perSecond: 20, seconds: 1, warmUpSeconds: 0.1 });
  t.like(result, { requests: 20, failed: 0, warnings: 0 });
});

test('a bad review counts as failed', async (t) => {
  const processes = new OwnedProcesses();
  t.teardown(() => processes.endAll());
  const server = await startWebhookProcess('server', { mesh: [] }, processes);
  const result = await measureWebhook(server, { reviews: ['{}'], perSecond: 10, seconds: 1, warmUpSeconds: 0.1 });
  t.like(result, { requests: 10, failed: 10 });
});

const RESULT = {
  requests: 1,
  failed: 0,
  p50Ms: 1,
  p99Ms: 4.9,
  maxMs: 9,
  lateP99Ms: 0,
  cpuUsPerRequest: 1,
  warnings: 1,
};

test('the report shows the webhook beside the floor', (t) => {
  const floor = { ...RESULT, p50Ms: 0.5, p99Ms: 2.45, cpuUsPerRequest: 0.25 };
  const report = formatWebhookReport({ rules: 100, services: 1 }, 200, { server: RESULT, floor });
  t.regex(report, /^ratio +2\.00x +2\.00x +4\.00x$/m);
});

test('the goal is met below 5 ms at p99, with no request failed', (t) => {
  t.true(isWebhookGoalMet(RESULT));
  t.false(isWebhookGoalMet({ ...RESULT, p99Ms: 5 }));
  t.false(isWebhookGoalMet({ ...RESULT, failed: 1 }));
  t.regex(
    formatWebhookReport({ rules: 100, services: 1 }, 200, { server: RESULT, floor: RESULT }),
    /p99 below 5 ms: met\./,
  );
});
