import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import test from 'ava';
import type { PushContext } from '../../src/model/push-context.js';
import { type GoldenCase, readGoldenCase } from './golden-case.js';
import { createGoldenGenerators, GOLDEN_DIRECTORY, GOLDEN_TYPES, goldenCases } from './golden-runner.js';

/** Kinds whose objects change what proxies are sent; each is in a golden case. */
const KINDS = [
  'AuthorizationPolicy',
  'DestinationRule',
  'EnvoyFilter',
  'Gateway',
  'PeerAuthentication',
  'QuotaSpecBinding',
  'RequestAuthentication',
  'ServiceEntry',
  'Sidecar',
  'VirtualService',
  'WorkloadEntry',
];

/** The cases with an object of the kind. */
function* casesWith(kind: string): Iterable<GoldenCase> {
  for (const name of goldenCases()) {
    const text = readFileSync(join(GOLDEN_DIRECTORY, name, 'in.yaml'), 'utf8');
    if (text.includes(`\nkind: ${kind}\n`)) yield readGoldenCase(name, text);
  }
}

/** Everything that the proxies of a case are sent. */
function createSender(golden: GoldenCase): (context: PushContext) => readonly string[] {
  const generate = createGoldenGenerators(golden);
  return (context) =>
    [...golden.proxies].flatMap(([title, proxy]) => {
      const resources = generate(context, proxy);
      return GOLDEN_TYPES.flatMap((type) =>
        resources[type].map(({ name, entry }) => `${title} ${type} ${name} ${entry.toString('base64')}`),
      );
    });
}

for (const kind of KINDS) {
  test(`a proxy is sent the same bytes before ${kind} objects are added and after they are removed`, (t) => {
    let casesWithEffect = 0;
    for (const golden of casesWith(kind)) {
      const objects = golden.objects.filter((object) => object.kind === kind);
      const send = createSender(golden);
      const before = send(golden.change('delete', objects));
      const between = send(golden.change('upsert', objects));
      t.deepEqual(send(golden.change('delete', objects)), before);
      t.deepEqual(between, createSender(golden)(golden.change('upsert', objects)));
      if (between.join() !== before.join()) casesWithEffect += 1;
    }
    t.true(casesWithEffect > 0);
  });
}
