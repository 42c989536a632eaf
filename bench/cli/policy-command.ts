import { areEnvoyGoalsMet, formatEnvoyReport } from '../envoy/envoy-report.js';
import { findEnvoy } from '../envoy/find-envoy.js';
import type { RoundResult } from '../envoy/round-result.js';
import { measureThroughEnvoy } from '../envoy/through-envoy.js';
import { monotonicMs } from '../measure/monotonic-clock.js';
import { measureDecisions } from '../policy/measure-decisions.js';
import { formatPolicyReport, isGoalMet } from '../policy/policy-report.js';
import { buildPolicyWorkload, type PolicyWorkload } from '../policy/workload.js';
import type { BenchCommand } from './bench-command.js';
import type { ParsedFlags } from './parsed-flags.js';
import { supervise } from './supervised-run.js';
import { parseWholeNumber, parseWholeNumbers } from './whole-number.js';
import { RESULT_FLAGS, writeResult } from './write-result.js';

/** How fast policies are decided: by the client library in this process, and by the policy server for an Envoy. */
export const policyCommand: BenchCommand = {
  name: 'policy',
  summary: 'Measures decisions about policies: of the client library alone, and through Envoy.',
  details: `A decision of the library goes from the facts of a request to whether it may pass, with both caches of the
client. Through Envoy, requests are sent on a schedule to one Envoy without a check, with a check by the
policy server, and with one by bare servers that allow everything, on grpc-js and on node:http.`,
  operands: [],
  flags: {
    patterns: { placeholder: 'N', description: 'API patterns of the service.', default: '100' },
    rules: { placeholder: 'N', description: 'Quota rules of the service.', default: '20' },
    seconds: { placeholder: 'N', description: 'Time for each step of the library.', default: '2' },
    envoy: { description: 'Measure the library alone, and nothing through Envoy.', default: true },
    rates: {
      placeholder: 'N,…',
      description: 'Requests per second through Envoy, one after the other.',
      default: '1000,3000,10000',
    },
    rounds: { placeholder: 'N', description: 'Rounds through Envoy at each rate.', default: '5' },
    'round-seconds': { placeholder: 'N', description: 'Time for each variant in a round.', default: '5' },
    ...RESULT_FLAGS,
  },
  async run(flags, output) {
    const size = {
      patterns: parseWholeNumber('--patterns', flags.text('patterns'), { from: 1, to: 1000 }),
      rules: parseWholeNumber('--rules', flags.text('rules'), { from: 1, to: 1000 }),
    };
    const seconds = parseWholeNumber('--seconds', flags.text('seconds'), { from: 1, to: 60 });
    const rates = parseWholeNumbers('--rates', flags.text('rates'), { from: 1, to: 100_000 });
    const workload = buildPolicyWorkload(size);
    const library = await measureDecisions(workload, seconds, monotonicMs);
    const { binary, missing } = flags.isOn('envoy') ? await findEnvoy() : { missing: '--no-envoy' };
    const rounds = binary === undefined ? undefined : await runThroughEnvoy(flags, workload, binary, rates);
    const code = await writeResult(flags, output, {
      text: () => {
        const throughEnvoy = rounds === undefined ? '' : `\n${formatEnvoyReport(rounds)}`;
        return formatPolicyReport(size, library) + throughEnvoy;
      },
      document: { ...size, results: library, rates, rounds },
      areGoalsMet: isGoalMet(library) && (rounds === undefined || areEnvoyGoalsMet(rounds)),
    });
    if (rounds === undefined && flags.isOn('envoy')) {
      output.stderr.write(`bench: not measured through Envoy: ${missing}\n`);
    }
    return code;
  },
};

async function runThroughEnvoy(
  flags: ParsedFlags,
  workload: PolicyWorkload,
  binary: string,
  rates: readonly number[],
): Promise<readonly RoundResult[]> {
  const rounds = parseWholeNumber('--rounds', flags.text('rounds'), { from: 1, to: 100 });
  const secondsPerRound = parseWholeNumber('--round-seconds', flags.text('round-seconds'), { from: 1, to: 600 });
  return await supervise((parts) => {
    return measureThroughEnvoy({ ...parts, workload, binary, rates, rounds, secondsPerRound });
  });
}
