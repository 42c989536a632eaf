import { resolve } from 'node:path';
import { measureSoak } from '../soak/measure-soak.js';
import { formatSoakReport, judgeSoak } from '../soak/soak-report.js';
import type { BenchCommand } from './bench-command.js';
import { MESH_FLAGS, parseMeshSize } from './mesh-flags.js';
import { supervise } from './supervised-run.js';
import { parseWholeNumber } from './whole-number.js';
import { RESULT_FLAGS, writeResult } from './write-result.js';

/** Whether the server keeps anything of changes and clients that are gone. */
export const soakCommand: BenchCommand = {
  name: 'soak',
  summary: 'Changes the mesh and lets clients come and go for long, to see whether memory and files stay flat.',
  details: `Services, endpoints, routes, policies, rules with handlers, plans, scopes and filters come and go,
each with a name of its own, and so do clients. In quiet moments between, the server collects its garbage,
and what is left counts.
Exits with 1 when a goal is missed.`,
  operands: [],
  flags: {
    services: { ...MESH_FLAGS.services, default: '100' },
    endpoints: { ...MESH_FLAGS.endpoints, default: '5' },
    namespaces: MESH_FLAGS.namespaces,
    routed: { ...MESH_FLAGS.routed, default: '20' },
    scopes: MESH_FLAGS.scopes,
    clients: { placeholder: 'N', default: '200', description: 'sidecars that stay' },
    minutes: { placeholder: 'N', default: '30', description: 'how long' },
    rate: { placeholder: 'N', default: '5', description: 'changes per second, and clients that come and vanish' },
    sample: { placeholder: 'SECONDS', default: '20', description: 'time between two quiet moments' },
    timeout: { placeholder: 'SECONDS', default: '120', description: 'how long any single wait may take' },
    snapshots: { placeholder: 'DIR', description: 'write two heap snapshots of the server there' },
    json: RESULT_FLAGS.json,
  },
  async run(flags, output) {
    const number = (name: string, from: number, to: number) =>
      parseWholeNumber(`--${name}`, flags.text(name), { from, to });
    const snapshots = flags.text('snapshots');
    const options = {
      size: parseMeshSize(flags),
      clients: number('clients', 5, 1000),
      seconds: number('minutes', 1, 24 * 60) * 60,
      perSecond: number('rate', 1, 100),
      sampleSeconds: number('sample', 1, 600),
      timeoutMs: number('timeout', 1, 3600) * 1000,
      snapshotFolder: snapshots === undefined ? undefined : resolve(snapshots),
    };
    const result = await supervise((parts) => measureSoak(options, parts));
    const goals = judgeSoak(result);
    const areGoalsMet = goals.every(({ met }) => met);
    await writeResult(flags, output, {
      text: (style) => formatSoakReport(options.clients, result, style),
      document: { options, ...result, goals },
      areGoalsMet,
    });
    return areGoalsMet ? 0 : 1;
  },
};
