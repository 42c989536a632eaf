import anyTest, { type TestFn } from 'ava';
import { requireSidecarCounterparts } from '../counterparts/requirement.js';
import { assertPolicyHolds, type PolicyMesh } from './policy-mesh.js';

/** Context of tests that share the mesh of their file. */
export interface PolicyContext {
  /** Absent where counterparts are missing. */
  policy?: PolicyMesh;
}

/**
 * Prepares the tests of a file with one policy mesh, which its `test.before` puts into the context. After each test, no
 * sidecar may have rejected any configuration; after the last test, the mesh is closed.
 */
export function policyTests() {
  const { available } = requireSidecarCounterparts();
  const test = anyTest as TestFn<PolicyContext>;
  test.afterEach.always('no sidecar rejected any configuration', async (t) => {
    if (t.context.policy !== undefined) await assertPolicyHolds(t.context.policy);
  });
  test.after.always(async (t) => {
    await t.context.policy?.mesh.close();
  });
  return { available, test, e2eTest: available === undefined ? test.skip : test.serial };
}

/** The mesh of the file. */
export function policyOf({ policy }: PolicyContext): PolicyMesh {
  if (policy === undefined) throw new Error('the mesh did not start');
  return policy;
}
