import type { ShardKey } from '../../model/endpoint.js';

/** A shard key is `<registry>/<cluster>`. */
export function clusterOfShard(key: ShardKey): string {
  return key.slice(key.indexOf('/') + 1);
}
