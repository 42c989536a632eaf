import { monotonicMs } from '../measure/monotonic-clock.js';
import { measureDecisions } from '../policy/measure-decisions.js';
import { formatPolicyReport, isGoalMet } from '../policy/policy-report.js';
import { buildPolicyWorkload } from '../policy/workload.js';
import type { BenchCommand } from './bench-command.js';
import { parseWholeNumber } from './whole-number.js';

/** Measures the policy client library in this process. */
export const policyCommand: BenchCommand = {
  name: 'policy',
  summary: 'Measures decisions of the policy client library alone, without Envoy.',
  details: 'A decision goes from the facts of a request to whether it may pass, with both caches of the client.',
  operands: [],
  flags: {
    patterns: { placeholder: 'N', description: 'API patterns of the service.', default: '100' },
    rules: { placeholder: 'N', description: 'Quota rules of the service.', default: '20' },
    seconds: { placeholder: 'N', description: 'Time for each of the six steps.', default: '2' },
    json: { description: 'Print the numbers as JSON.', default: false },
    strict: { description: 'Exit with 1 when the goal is missed.', default: false },
  },
  async run(flags, output) {
    const size = {
      patterns: parseWholeNumber('--patterns', flags.text('patterns'), { from: 1, to: 10_000 }),
      rules: parseWholeNumber('--rules', flags.text('rules'), { from: 1, to: 10_000 }),
    };
    const seconds = parseWholeNumber('--seconds', flags.text('seconds'), { from: 1, to: 60 });
    const results = await measureDecisions(buildPolicyWorkload(size), seconds, monotonicMs);
    const text = flags.isOn('json') ? `${JSON.stringify({ ...size, results }, null, 2)}\n` : undefined;
    output.stdout.write(text ?? formatPolicyReport(size, results));
    return flags.isOn('strict') && !isGoalMet(results) ? 1 : 0;
  },
};
