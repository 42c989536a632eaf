import type { ResourceGenerator } from '../generators/generator.js';
import type { PushContext } from '../model/push-context.js';
import type { DiffCache } from './diff-cache.js';
import type { ResourceCache } from './resource-cache.js';
import type { ResponseCache } from './response-cache.js';

/** What every connected proxy is served from, at this moment. */
export interface Distribution {
  /** Undefined until the sources have synced. */
  readonly context: PushContext | undefined;
  /** Ledger root of the snapshot; empty when tracking is off. */
  readonly root: string;
  /** By type URL. */
  readonly generators: ReadonlyMap<string, ResourceGenerator>;
  readonly resources: ResourceCache;
  readonly responses: ResponseCache;
  readonly diffs: DiffCache;
}
