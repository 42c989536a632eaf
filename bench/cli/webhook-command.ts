import { monotonicMs } from '../measure/monotonic-clock.js';
import { ProgressLine } from '../report/progress-line.js';
import { Cleanup } from '../run/cleanup.js';
import { OwnedProcesses } from '../subject/owned-process.js';
import { measureWebhook, type WebhookResult } from '../webhook/measure-webhook.js';
import { startWebhookProcess } from '../webhook/webhook-process.js';
import { formatWebhookReport, isWebhookGoalMet } from '../webhook/webhook-report.js';
import { buildWebhookWorkload } from '../webhook/webhook-workload.js';
import type { BenchCommand } from './bench-command.js';
import { endOnSignals } from './end-on-signals.js';
import { parseWholeNumber } from './whole-number.js';

/** How fast objects are validated for API servers. */
export const webhookCommand: BenchCommand = {
  name: 'webhook',
  summary: 'Measures the validation webhook: QuotaSpecs on a schedule, over HTTPS, with warnings.',
  details: `Each request is an update of a QuotaSpec, bound to ten services and compared with one that is bound to all.
The server is the webhook alone, in a process of its own: one thread. The floor is a bare HTTPS server
that parses the same reviews.`,
  operands: [],
  flags: {
    rules: { placeholder: 'N', description: 'Quota rules of a QuotaSpec.', default: '100' },
    services: { placeholder: 'N', description: 'Services of the mesh.', default: '1000' },
    rate: { placeholder: 'N', description: 'Requests per second.', default: '200' },
    seconds: { placeholder: 'N', description: 'Time, after three seconds to warm up.', default: '20' },
    json: { description: 'Print the numbers as JSON.', default: false },
    strict: { description: 'Exit with 1 when the goal is missed.', default: false },
  },
  async run(flags, { stdout }) {
    const size = {
      rules: parseWholeNumber('--rules', flags.text('rules'), { from: 1, to: 1000 }),
      services: parseWholeNumber('--services', flags.text('services'), { from: 1, to: 20_000 }),
    };
    const perSecond = parseWholeNumber('--rate', flags.text('rate'), { from: 1, to: 10_000 });
    const seconds = parseWholeNumber('--seconds', flags.text('seconds'), { from: 1, to: 600 });
    const { mesh, reviews } = buildWebhookWorkload(size);
    const processes = new OwnedProcesses();
    const cleanup = new Cleanup();
    const line = new ProgressLine(process.stderr, monotonicMs);
    const release = endOnSignals(cleanup, processes, line);
    try {
      const measure = async (subject: 'server' | 'floor'): Promise<WebhookResult> => {
        line.update(`validation, ${subject}`, undefined);
        const started = await startWebhookProcess(subject, { mesh }, processes);
        cleanup.add(() => started.stop());
        const result = await measureWebhook(started, { reviews, perSecond, seconds });
        await started.stop();
        return result;
      };
      const results = { server: await measure('server'), floor: await measure('floor') };
      line.clear();
      if (flags.isOn('json')) stdout.write(`${JSON.stringify({ ...size, perSecond, ...results }, null, 2)}\n`);
      else stdout.write(formatWebhookReport(size, perSecond, results));
      return flags.isOn('strict') && !isWebhookGoalMet(results.server) ? 1 : 0;
    } finally {
      line.clear();
      await cleanup.run();
      release();
    }
  },
};
