// Runs one attack in a process of its own: attacker.js <module> <scale> <target as JSON>. SIGTERM ends it early.
import { setPriority } from 'node:os';
import type { Attack, AttackTarget } from './attack.js';

/** Attackers have processors of their own in the field; here they leave the server and its users some. */
const NICENESS = 5;

const [module = '', scale = '1', target = '{}'] = process.argv.slice(2);
setPriority(NICENESS);
const stopping = new AbortController();
process.on('SIGTERM', () => stopping.abort());
const { attack } = (await import(module)) as { readonly attack: Attack };
const result = await attack.run(JSON.parse(target) as AttackTarget, Number(scale), stopping.signal);
process.stdout.write(`RESULT ${result}\n`, () => process.exit(0));
