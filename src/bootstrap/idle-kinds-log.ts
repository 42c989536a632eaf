import { KINDS_WITHOUT_EFFECT, WITHOUT_EFFECT } from '../config/policy-rules/kind-names.js';
import type { PushContext } from '../model/push-context.js';
import type { Logger } from '../telemetry/logger.js';

/** Logs a warning when the mesh gets its first objects of a kind that has no effect yet. */
export function createIdleKindsLog(logger: Logger): { observe(context: Pick<PushContext, 'objects'>): void } {
  const logged = new Set<string>();
  return {
    observe: ({ objects }) => {
      for (const kind of KINDS_WITHOUT_EFFECT) {
        const count = objects.get(kind)?.size ?? 0;
        if (count === 0 || logged.has(kind)) continue;
        logged.add(kind);
        logger.warn({ kind, objects: count, reason: WITHOUT_EFFECT }, 'objects of this kind have no effect');
      }
    },
  };
}
