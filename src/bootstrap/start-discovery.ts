import type { Options } from './options.js';

/** Runs the discovery server until it has stopped gracefully. */
export async function startDiscovery(_options: Options): Promise<void> {
  throw new Error('the discovery server is not part of this build yet');
}
