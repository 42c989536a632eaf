import { measureWebhook, type WebhookResult } from '../webhook/measure-webhook.js';
import { startWebhookProcess } from '../webhook/webhook-process.js';
import { formatWebhookReport, isWebhookGoalMet } from '../webhook/webhook-report.js';
import { buildWebhookWorkload } from '../webhook/webhook-workload.js';
import type { BenchCommand } from './bench-command.js';
import { supervise } from './supervised-run.js';
import { parseWholeNumber } from './whole-number.js';
import { RESULT_FLAGS, writeResult } from './write-result.js';

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
    ...RESULT_FLAGS,
  },
  async run(flags, output) {
    const size = {
      rules: parseWholeNumber('--rules', flags.text('rules'), { from: 1, to: 1000 }),
      services: parseWholeNumber('--services', flags.text('services'), { from: 1, to: 20_000 }),
    };
    const perSecond = parseWholeNumber('--rate', flags.text('rate'), { from: 1, to: 10_000 });
    const seconds = parseWholeNumber('--seconds', flags.text('seconds'), { from: 1, to: 600 });
    const { mesh, reviews } = buildWebhookWorkload(size);
    const results = await supervise(async ({ processes, cleanup, progress }) => {
      const measure = async (subject: 'server' | 'floor'): Promise<WebhookResult> => {
        progress(`validation, ${subject}`);
        const started = await startWebhookProcess(subject, { mesh }, processes);
        cleanup.add(() => started.stop());
        const result = await measureWebhook(started, { reviews, perSecond, seconds });
        await started.stop();
        return result;
      };
      return { server: await measure('server'), floor: await measure('floor') };
    });
    return await writeResult(flags, output, {
      text: () => formatWebhookReport(size, perSecond, results),
      document: { ...size, perSecond, ...results },
      areGoalsMet: isWebhookGoalMet(results.server),
    });
  },
};
