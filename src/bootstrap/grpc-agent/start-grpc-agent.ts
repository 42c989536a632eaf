import { systemClock } from '../../base/clock.js';
import type { GrpcAgentOptions } from '../options.js';
import { runUntilTerminated } from '../run-until-terminated.js';
import { createGrpcAgent } from './grpc-agent.js';

/**
 * Keeps the certificate files of a pod until SIGTERM or SIGINT.
 *
 * @throws ListenError when the address of the probes cannot be opened
 */
export function startGrpcAgent(options: GrpcAgentOptions): Promise<void> {
  const messages = { stopping: 'certificate agent stops', stopped: 'certificate agent has stopped' };
  return runUntilTerminated(options, messages, (logging) => createGrpcAgent(options.agent, logging, systemClock));
}
