import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../counterparts/project-root.js';

export interface LaterVersion {
  /** For `kubectl apply -f`. */
  readonly folder: string;
  remove(): Promise<void>;
}

/** One change of each kind of object that a later version of manifests/ brings. */
const CHANGES: readonly (readonly [file: string, from: RegExp, to: string])[] = [
  ['35-injection.yaml', /periodSeconds: 2, failureThreshold: 30/, 'periodSeconds: 3, failureThreshold: 30'],
  ['45-validation.yaml', /timeoutSeconds: 5$/m, 'timeoutSeconds: 6'],
  ['46-injection-webhook.yaml', /timeoutSeconds: 10$/m, 'timeoutSeconds: 9'],
  [
    '50-deployment.yaml',
    /mixerReportServer: embedded/,
    'mixerReportServer: embedded\n                reportBatchMaxEntries: 50',
  ],
  ['50-deployment.yaml', /app\.kubernetes\.io\/version: 0\.1\.0/g, 'app.kubernetes.io/version: 0.1.1'],
];

/** A later version of manifests/, with the same image. */
export async function laterVersion(): Promise<LaterVersion> {
  const folder = await mkdtemp(join(tmpdir(), 'navigator-later-'));
  await cp(join(projectRoot(), 'manifests'), folder, { recursive: true });
  for (const [file, from, to] of CHANGES) {
    const path = join(folder, file);
    const before = await readFile(path, 'utf8');
    const after = before.replace(from, to);
    if (after === before) throw new Error(`${file} has no ${from} any more`);
    await writeFile(path, after);
  }
  return { folder, remove: () => rm(folder, { recursive: true, force: true }) };
}
