import type { ResourceGenerator } from '../generators/generator.js';
import type { PushContext } from '../model/push-context.js';
import type { DiffCache } from './diff-cache.js';
import type { ResourceCache } from './resource-cache.js';
import type { ResponseCache } from './response-cache.js';

/** The current snapshot and the caches that all connected proxies are served from. */
export interface Distribution {
  /** Undefined until the sources have synced. */
  readonly context: PushContext | undefined;
  /** Ledger version of the snapshot's configuration; empty if tracking is off. */
  readonly configVersion: string;
  /** By type URL. */
  readonly generators: ReadonlyMap<string, ResourceGenerator>;
  readonly resources: ResourceCache;
  readonly responses: ResponseCache;
  readonly diffs: DiffCache;
}
