import { join } from 'node:path';
import { projectRoot } from './project-root.js';

export type ProgramName = 'navigator-discovery' | 'navigator-policy';

/** A program of this project as users run it: the bundle, not the modules that other tests import. */
export function programFile(name: ProgramName): string {
  return join(projectRoot(), 'build/programs', `${name}.js`);
}
