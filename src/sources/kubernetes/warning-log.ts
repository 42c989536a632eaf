import type { Resource } from '../../kubernetes/watch/resource.js';
import type { Logger } from '../../telemetry/logger.js';

export interface WarningLogOptions {
  readonly logger: Logger;
  /** NAV_USE_ENDPOINT_SLICE; undefined when it is not set. */
  readonly useEndpointSlice: boolean | undefined;
}

/**
 * Logs each warning of the API server about a kind once. The warning that Endpoints are deprecated is logged only if
 * NAV_USE_ENDPOINT_SLICE is not set.
 */
export function createWarningLog(
  { definition: { kind } }: Resource,
  { logger, useEndpointSlice }: WarningLogOptions,
): (warnings: readonly string[]) => void {
  const told = new Set<string>();
  return (warnings) => {
    for (const warning of warnings) {
      if (told.has(warning)) continue;
      told.add(warning);
      if (kind !== 'Endpoints') logger.warn({ kind, warning }, 'the API server warns of a kind of object');
      else if (useEndpointSlice === undefined) {
        logger.info(
          { warning },
          'reading Endpoints, which this cluster deprecates; NAV_USE_ENDPOINT_SLICE=true reads EndpointSlices',
        );
      }
    }
  };
}
