import { measureSignatures } from '../ca/measure-signatures.js';
import { formatSignatureReport, isSignatureGoalMet } from '../ca/signature-report.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import type { BenchCommand } from './bench-command.js';
import { parseWholeNumber } from './whole-number.js';

/** How fast the certificate authority is. */
export const signaturesCommand: BenchCommand = {
  name: 'signatures',
  summary: 'Measures the certificate authority: requests checked and certificates signed, on one core.',
  details: '',
  operands: [],
  flags: {
    seconds: { placeholder: 'N', description: 'Time for each kind of key.', default: '5' },
    json: { description: 'Print the numbers as JSON.', default: false },
    strict: { description: 'Exit with 1 when the goal is missed.', default: false },
  },
  async run(flags, { stdout }) {
    const seconds = parseWholeNumber('--seconds', flags.text('seconds'), { from: 1, to: 600 });
    const results = await measureSignatures(seconds, monotonicMs);
    if (flags.isOn('json')) stdout.write(`${JSON.stringify({ seconds, results }, null, 2)}\n`);
    else stdout.write(formatSignatureReport(results));
    return flags.isOn('strict') && !isSignatureGoalMet(results) ? 1 : 0;
  },
};
