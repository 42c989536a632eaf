import { systemClock } from '../base/clock.js';
import type { PolicyOptions } from './options.js';
import { createPolicyProcess } from './policy/policy-process.js';
import { runUntilTerminated } from './run-until-terminated.js';

/**
 * Runs a policy server of its own process until SIGTERM or SIGINT has stopped it gracefully.
 *
 * @throws ListenError when an address cannot be had
 */
export function startPolicy(options: PolicyOptions): Promise<void> {
  const messages = { stopping: 'Policy server stops', stopped: 'Policy server has stopped' };
  return runUntilTerminated(options, messages, (logging) => createPolicyProcess(options, logging, systemClock));
}
