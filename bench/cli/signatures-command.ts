import { measureSignatures } from '../ca/measure-signatures.js';
import { formatSignatureReport, isSignatureGoalMet } from '../ca/signature-report.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import type { BenchCommand } from './bench-command.js';
import { parseWholeNumber } from './whole-number.js';
import { RESULT_FLAGS, writeResult } from './write-result.js';

/** How fast the certificate authority is. */
export const signaturesCommand: BenchCommand = {
  name: 'signatures',
  summary: 'Measures the certificate authority: requests checked and certificates signed, on one core.',
  details: '',
  operands: [],
  flags: {
    seconds: { placeholder: 'N', description: 'Time for each kind of key.', default: '5' },
    ...RESULT_FLAGS,
  },
  async run(flags, output) {
    const seconds = parseWholeNumber('--seconds', flags.text('seconds'), { from: 1, to: 600 });
    const results = await measureSignatures(seconds, monotonicMs);
    return await writeResult(flags, output, {
      text: () => formatSignatureReport(results),
      document: { seconds, results },
      areGoalsMet: isSignatureGoalMet(results),
    });
  },
};
