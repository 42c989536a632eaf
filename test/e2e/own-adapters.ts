import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestFn } from 'ava';
import { loadAll } from 'js-yaml';
import type { Manifest } from '../counterparts/config-folder.js';
import { projectRoot } from '../counterparts/project-root.js';
import type { SampleAdapter } from '../counterparts/sample-adapters.js';
import type { PolicyContext } from './policy-tests.js';

export interface SampleAdapterPlaces {
  /** An address at which the adapters listen, with their ports of the samples. */
  readonly address: string;
  /** The service whose inbound requests they get, instead of `books`. */
  readonly service: string;
  readonly auditFile: string;
}

/** The objects of adapters of samples/adapters, in the namespace `default`. */
export function sampleAdapterObjects(
  adapters: readonly SampleAdapter[],
  { address, service, auditFile }: SampleAdapterPlaces,
): readonly Manifest[] {
  const objects = adapters.flatMap((name) =>
    (loadAll(readFileSync(join(projectRoot(), `samples/adapters/${name}.yaml`), 'utf8')) as readonly Manifest[]).map(
      (each) => ({ ...each, metadata: { ...(each['metadata'] as object), namespace: 'default' } }),
    ),
  );
  return JSON.parse(
    JSON.stringify(objects)
      .replaceAll(/(?:accounts|audit)\.shop:/g, `${address}:`)
      .replaceAll('name == \\"books\\"', `name == \\"${service}\\" && context.reporter.kind == \\"inbound\\"`)
      .replace('/var/log/audit.log', auditFile)
      // A decision that is used again would hide that the adapter is away.
      .replace(',"valid_duration":"10s"', ''),
  );
}

/** The path of a file that an adapter makes; the end of the tests removes it. */
export function prepareAuditFile(test: TestFn<PolicyContext>): string {
  const folder = mkdtempSync(join(tmpdir(), 'audit-'));
  test.after.always(() => rmSync(folder, { recursive: true }));
  return join(folder, 'audit.log');
}
