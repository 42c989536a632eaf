import { systemClock } from '../base/clock.js';
import type { PolicyOptions } from './options.js';
import { createPolicyProcess } from './policy/policy-process.js';
import { runUntilTerminated } from './run-until-terminated.js';

/**
 * Runs a policy server in a process of its own until SIGTERM or SIGINT, and then stops it gracefully.
 *
 * @throws ListenError when an address cannot be opened
 */
export function startPolicy(options: PolicyOptions): Promise<void> {
  const messages = { stopping: 'policy server stops', stopped: 'policy server has stopped' };
  return runUntilTerminated(options, messages, (logging) => createPolicyProcess(options, logging, systemClock));
}
