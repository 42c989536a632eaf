import { fileURLToPath } from 'node:url';
import { startManagedProcess } from '../../counterparts/managed-process.js';
import type { Attack, AttackTarget } from './attack.js';

const ATTACKER = fileURLToPath(new URL('./attacker.js', import.meta.url));
/** A longer attack gets SIGTERM. */
const TIMEOUT_MS = 60_000;

/** @param name of its file in `attacks/`, without `.ts` */
export async function loadAttack(name: string): Promise<Attack> {
  return ((await import(attackModule(name))) as { readonly attack: Attack }).attack;
}

/**
 * Runs an attack in a separate process.
 *
 * @returns the line that the attack printed
 * @throws if the attack fails: it has a mistake, or the server broke its promise
 */
export async function runAttack(name: string, target: AttackTarget, scale: number): Promise<string> {
  const attacker = startManagedProcess({
    name,
    command: [
      ...['setpriv', '--pdeathsig', 'KILL', process.execPath, ATTACKER],
      ...[attackModule(name), String(scale), JSON.stringify(target)],
    ],
  });
  const timer = setTimeout(() => attacker.child.kill('SIGTERM'), TIMEOUT_MS);
  const force = setTimeout(() => attacker.child.kill('SIGKILL'), 2 * TIMEOUT_MS);
  await attacker.exited;
  clearTimeout(timer);
  clearTimeout(force);
  const result = attacker.lines.find((line) => line.startsWith('RESULT '));
  if (result === undefined) throw new Error(`the attack ${name} failed: ${attacker.tail()}`);
  return result.slice('RESULT '.length);
}

function attackModule(name: string): string {
  return new URL(`./attacks/${name}.js`, import.meta.url).href;
}
