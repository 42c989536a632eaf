import test, { type ExecutionContext } from 'ava';
import { requireKubernetes } from '../../counterparts/kubernetes/find-testcluster.js';
import { type AttackedCluster, startAttackedCluster } from './attacked-cluster.js';

/** A test of attacks, not declared yet. */
export interface AttackTest {
  readonly title: string;
  run(t: ExecutionContext): Promise<void>;
}

const TIMEOUT_MS = 300_000;
const { available: binary } = requireKubernetes();
let cluster: Promise<AttackedCluster> | undefined;

/** Starts at the first call. */
export function sharedCluster(): Promise<AttackedCluster> {
  cluster ??= startAttackedCluster(String(binary));
  return cluster;
}

/**
 * Declares the tests of a file, which share an API server, and run one after another. Without an API server `npm test`
 * says why they are skipped; with REQUIRE_COUNTERPARTS=1 that is an error.
 */
export async function declareAttackTests(...tests: readonly Promise<AttackTest>[]): Promise<void> {
  // ava wants all tests of a file at the same time.
  for (const { title, run } of await Promise.all(tests)) {
    const declare = binary === undefined ? test.serial.skip : test.serial;
    declare(title, async (t) => {
      t.timeout(TIMEOUT_MS);
      await run(t);
    });
  }
  test.after.always(async () => {
    await (await cluster)?.close();
  });
}
