import { measureOverload } from '../overload/measure-overload.js';
import { formatOverloadReport } from '../overload/overload-report.js';
import { buildPolicyWorkload } from '../policy/workload.js';
import type { BenchCommand } from './bench-command.js';
import { supervise } from './supervised-run.js';
import { parseWholeNumber, parseWholeNumbers } from './whole-number.js';
import { RESULT_FLAGS, writeResult } from './write-result.js';

/** Measures the policy server with more Checks than it can decide. */
export const overloadCommand: BenchCommand = {
  name: 'overload',
  summary: 'Measures the policy server at growing rates of Checks, up to more than it can decide.',
  details: `Checks are sent over one connection, without Envoy but with its limit of 1,024 calls under way,
to the policy server and in turns to a bare server that allows every request.`,
  operands: [],
  flags: {
    rates: { placeholder: 'N,…', description: 'Checks per second, one after the other.', default: '1000,3000,10000' },
    rounds: { placeholder: 'N', description: 'Rounds at each rate.', default: '3' },
    'round-seconds': { placeholder: 'N', description: 'Time for each server in a round.', default: '5' },
    json: RESULT_FLAGS.json,
  },
  async run(flags, output) {
    const rates = parseWholeNumbers('--rates', flags.text('rates'), { from: 1, to: 100_000 });
    const rounds = parseWholeNumber('--rounds', flags.text('rounds'), { from: 1, to: 100 });
    const secondsPerRound = parseWholeNumber('--round-seconds', flags.text('round-seconds'), { from: 1, to: 600 });
    const workload = buildPolicyWorkload({ patterns: 100, rules: 20 });
    const results = await supervise((parts) => {
      return measureOverload({ ...parts, workload, rates, rounds, secondsPerRound });
    });
    const document = { rates, rounds, secondsPerRound, results };
    return await writeResult(flags, output, { text: () => formatOverloadReport(results), document, areGoalsMet: true });
  },
};
