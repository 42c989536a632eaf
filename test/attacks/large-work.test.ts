import assert from 'node:assert/strict';
import type { AttackedServer } from './support/attacked-server.js';
import { declareAttackTests } from './support/shared-cluster.js';
import { survives } from './support/survives.js';
import { survivesTwiceItsCapacity } from './support/survives-overload.js';

async function metTheLimitOfNames({ metric }: AttackedServer): Promise<void> {
  assert.ok(((await metric('nav_xds_limits_met{limit="names"}')) ?? 0) > 0, 'the limit of names was met');
}

await declareAttackTests(
  survives(['large-polls']),
  survives(['large-quota-specs'], { scale: 10 }),
  survives(['large-reviews']),
  survives(['names'], { after: metTheLimitOfNames }),
  survives(['overload-certificates']),
  survives(['overload-checks']),
  survivesTwiceItsCapacity('overload-discovery', [/^1 with status 8 NAV_XDS_MAX_\w+$/]),
  survivesTwiceItsCapacity('overload-reviews', [/^503 with Retry-After$/]),
  survives(['rejection-storm']),
  survives(['tenant-objects']),
);
