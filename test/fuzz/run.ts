import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { allTargets } from './all-targets.js';
import { attempt } from './attempt.js';
import { keepCase } from './case-files.js';
import type { FuzzTarget } from './fuzz-target.js';
import { stopHttpServer } from './targets/http.js';

/** Heap that the cases of a target may leave behind, whatever their number, because its caches are limited. */
const MAX_HEAP_GROWTH = 96 * 1024 * 1024;
const ENDLESS = 1_000_000_000;

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '30' },
    cases: { type: 'string' },
    seed: { type: 'string' },
    target: { type: 'string', multiple: true },
    help: { type: 'boolean', default: false },
  },
});
if (values.help) {
  console.log('npm run fuzz -- [--seconds N | --cases N] [--seed S] [--target T]...\n');
  console.log(`targets: ${allTargets.map(({ name }) => name).join(', ')}`);
  process.exit(0);
}
const seed = Number(values.seed ?? Date.now() % 2 ** 31);
const targets = allTargets.filter(({ name }) => values.target?.includes(name) ?? true);
if (targets.length === 0) throw new Error(`there is no target ${values.target?.join(', ')}: --help lists all`);
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc') as () => void;

/** Cases of each target; with a number, the same seed gives the same cases on every machine. */
const casesEach = values.cases === undefined ? ENDLESS : Number(values.cases);
const sliceMs = values.cases === undefined ? (Number(values.seconds) * 1000) / targets.length : ENDLESS;
const extent = values.cases === undefined ? `${values.seconds} s` : `${values.cases} cases each`;
console.log(`fuzz: seed ${seed}, ${extent} over ${targets.length} targets`);
let cases = 0;
let failed = 0;
for (const target of targets) {
  const result = await fuzz(target);
  cases += result.cases;
  if (result.isFailed) failed++;
}
await stopHttpServer();
console.log(`fuzz: ${cases} cases over ${targets.length} targets, seed ${seed}`);
// Some parsers keep timers of their own, for clients that live long.
process.exit(failed === 0 ? 0 : 1);

interface FuzzResult {
  readonly cases: number;
  readonly isFailed: boolean;
}

/** Runs cases of a target for its share of the time, and reports the first failure. */
async function fuzz(target: FuzzTarget): Promise<FuzzResult> {
  // Loads the modules and fills the caches of the parser.
  const loadMs = sliceMs / 10;
  await fc.check(propertyOf(target), { seed: seed + 1, numRuns: 200, interruptAfterTimeLimit: loadMs });
  const before = heapBytes();
  let count = 0;
  const details = await fc.check(
    propertyOf(target, () => count++),
    { seed, numRuns: casesEach, interruptAfterTimeLimit: sliceMs - loadMs },
  );
  const growth = heapBytes() - before;
  const repeat = `npm run fuzz -- --target ${target.name} --seed ${seed} --cases ${count}`;
  if (details.failed && details.counterexample !== null) {
    const [input] = details.counterexample;
    const problem = details.errorInstance instanceof Error ? (details.errorInstance.stack ?? '') : 'failed';
    const file = keepCase(target.name, input, problem.split('\n').slice(0, 1).join('\n'));
    console.error(`\nfuzz: ${target.name}: ${problem}\ncase: ${fc.stringify(input).slice(0, 4000)}`);
    console.error(`kept as ${file}; seed ${seed}; repeat: ${repeat}\n`);
    return { cases: count, isFailed: true };
  }
  const isLarge = growth > MAX_HEAP_GROWTH;
  if (isLarge) console.error(`fuzz: ${target.name}: its cases left ${growth} bytes in the heap; repeat: ${repeat}`);
  console.log(`  ${target.name.padEnd(28)} ${String(count).padStart(8)} cases ${(growth / 2 ** 20).toFixed(1)} MiB`);
  return { cases: count, isFailed: isLarge };
}

function propertyOf(target: FuzzTarget, counted: () => void = () => undefined) {
  return fc.asyncProperty(target.inputs, async (input) => {
    counted();
    await attempt(target, input);
  });
}

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}
