// The packages of a production installation, by the lock file: what `npm prune --omit=dev` leaves.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

/** Path below the folder of the project and entry of the lock file, for each package. */
export function productionPackages(root) {
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  return Object.entries(packages).filter(
    ([path, entry]) => path !== '' && !entry.link && !entry.dev && !entry.devOptional,
  );
}
