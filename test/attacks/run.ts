// npm run attack -- [--scale N] [--pairs] [NAME …]: runs attacks one after the other, each against a server of its own,
// and prints a table. Without names: all of them. --pairs runs each attack beside the next one of the list.
import { readdirSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { requireKubernetes } from '../counterparts/kubernetes/find-testcluster.js';
import { problemsOf, tableRow } from './support/problems.js';
import { putUnderAttack } from './support/under-attack.js';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: 'string', default: '1' }, pairs: { type: 'boolean', default: false } },
});
const { available: binary, missing } = requireKubernetes();
if (binary === undefined) throw new Error(`attacks need a real API server: ${missing}`);

const known = readdirSync(new URL('./support/attacks/', import.meta.url))
  .filter((file) => file.endsWith('.js'))
  .map((file) => file.slice(0, -'.js'.length))
  .sort();
const unknown = positionals.filter((name) => !known.includes(name));
if (unknown.length > 0) throw new Error(`no such attack: ${unknown.join(', ')}; there are ${known.join(', ')}`);

const names = positionals.length > 0 ? positionals : known;
const rounds = values.pairs
  ? names.map((name, index) => [name, names[(index + 1) % names.length] ?? name])
  : names.map((name) => [name]);
console.log('| attack | what was done | peak memory | slowest user | outcome |\n|---|---|---|---|---|');
for (const round of rounds) {
  const outcome = await putUnderAttack(binary, round, { scale: Number(values.scale) });
  console.log(tableRow(round, outcome));
  if (problemsOf(outcome).length > 0) process.exitCode = 1;
}
