// npm run attack -- [--scale N] [--pairs | --random-pairs] [--repeat N] [--minutes N] [--seed N]
// [--node-options TEXT] [NAME …]: runs attacks one after the other, each against a server of its own, and prints a table.
// Without names: all of them. Names that are joined by + run at the same time. A failed attack does not end the run; the
// exit code says at the end that there was one.
// --pairs runs each attack beside the next one of the list; --random-pairs runs every pair once, in an order that the
// seed decides. --repeat does all of it N times. After --minutes nothing more is begun. --node-options go to the server
// under attack, such as --cpu-prof.
import { randomInt } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { startAttackedCluster } from './support/attacked-cluster.js';
import { failedRow, problemsOf, tableRow } from './support/problems.js';
import { createRandom } from './support/random.js';
import { chooseRounds } from './support/rounds.js';
import { type AttackOptions, putUnderAttack } from './support/under-attack.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '1' },
    pairs: { type: 'boolean', default: false },
    'random-pairs': { type: 'boolean', default: false },
    repeat: { type: 'string', default: '1' },
    minutes: { type: 'string', default: 'Infinity' },
    'node-options': { type: 'string', default: '' },
    seed: { type: 'string', default: String(randomInt(2 ** 32)) },
  },
});
const { available: binary, missing } = requireKubernetes();
if (binary === undefined) throw new Error(`attacks need a real API server: ${missing}`);

const known = readdirSync(new URL('./support/attacks/', import.meta.url))
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -'.js'.length))
  .sort();
const unknown = positionals.flatMap((names) => names.split('+')).filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`no such attack: ${unknown.join(', ')}; there are ${known.join(', ')}`);

const seed = Number(values.seed);
const kind = values['random-pairs'] ? 'random pairs' : values.pairs ? 'neighbours' : 'alone';
const rounds = chooseRounds(positionals.length > 0 ? positionals : known, kind, createRandom(values.seed));
const untilMs = performance.now() + Number(values.minutes) * 60_000;
console.log(`seed ${seed}\n\n| attack | what was done | peak memory | slowest user | outcome |\n|---|---|---|---|---|`);
const failed: string[] = [];
const cluster = await startAttackedCluster(binary);
for (let turn = 0; turn < Number(values.repeat); turn++) {
  for (const round of rounds) {
    if (performance.now() >= untilMs) break;
    // Attacks that act at random act otherwise each time.
    const options = { scale: Number(values.scale), seed: seed + turn, nodeOptions: values['node-options'] };
    const problems = await attackWith(round, options);
    if (problems.length === 0) continue;
    failed.push(round.join(' + '));
    console.error(problems.join('\n'));
  }
}
await cluster.close();
if (failed.length > 0) {
  process.exitCode = 1;
  console.error(`\n${failed.length} rounds with problems: ${failed.join(', ')}`);
}

/** Prints the row of a round. @returns its problems; a round that could not be run is one */
async function attackWith(round: readonly string[], options: AttackOptions): Promise<readonly string[]> {
  try {
    const outcome = await putUnderAttack(cluster, round, options);
    console.log(tableRow(round, outcome));
    return problemsOf(outcome);
  } catch (error) {
    console.log(failedRow(round, error));
    return [`the round could not be run: ${error instanceof Error ? error.stack : String(error)}`];
  }
}
