import test from 'ava';
import type { EncodedResource } from '../../../src/envoy/encoded-resource.js';
import { createResourceSet, type ResourceSet } from '../../../src/envoy/resource-set.js';
import { isWithheldFrom } from '../../../src/model/patches/withheld-patch.js';
import { MAX_WITHHELD_PATCHES, PatchTrial } from '../../../src/xds/patches/patch-trial.js';
import fc from '../../support/property-testing.js';

/** Patches by the name of the resource that they change. */
type Patched = Readonly<Record<string, readonly string[]>>;

const RETRY_MS = 10 * 60 * 1000;

/** The resources of a proxy as the generators make them without the withheld patches. */
function resourcesOf(patched: Patched, trial: PatchTrial): ResourceSet {
  const resources = Object.entries(patched).map(([name, all]): EncodedResource => {
    const patches = all.filter((id) => !trial.withheld.some((each) => each.id === id && isWithheldFrom(each, name)));
    const version = `${name}:${patches.join()}`;
    return { name, version, entry: Buffer.from(version), ...(patches.length === 0 ? {} : { patches }) };
  });
  return createResourceSet(resources.sort((first, second) => (first.name < second.name ? -1 : 1)));
}

interface Envoy {
  /** Whether Envoy accepts a resource with these patches. */
  takes(name: string, patches: readonly string[]): boolean;
  /** Whether errors name the resources, as those of listeners and clusters do. */
  readonly namesResources: boolean;
}

/** Answers responses until none follows. @returns the number of responses, and the resources that Envoy accepted last */
function converge(patched: Patched, trial: PatchTrial, envoy: Envoy, had?: ResourceSet) {
  let accepted = had;
  let rejected: string | undefined;
  for (let responses = 0; responses < 1000; responses++) {
    const set = resourcesOf(patched, trial);
    if (set.hash === rejected) return { responses, accepted };
    const bad = set.resources.filter(({ name, patches = [] }) => !envoy.takes(name, patches));
    if (bad.length === 0) {
      accepted = set;
      rejected = undefined;
      if (trial.accepted(0) === 'unchanged') return { responses: responses + 1, accepted };
      continue;
    }
    rejected = set.hash;
    const text = envoy.namesResources ? bad.map(({ name }) => `${name}: bad script`).join(', ') : 'bad script';
    if (trial.rejected({ set, accepted, text }, 'bad script', 0) !== 'changed') {
      return { responses: responses + 1, accepted };
    }
  }
  throw new Error('the trial does not end');
}

function pairsOf(trial: PatchTrial, patched: Patched): readonly string[] {
  return Object.entries(patched).flatMap(([name, ids]) =>
    ids
      .filter((id) => trial.withheld.some((each) => each.id === id && isWithheldFrom(each, name)))
      .map((id) => `${id}@${name}`),
  );
}

const IDS = ['p0', 'p1', 'p2', 'p3', 'p4', 'p5', 'p6'];
const patchedArbitrary = fc.dictionary(
  fc.constantFrom('virtualInbound', 'virtualOutbound', '0.0.0.0_80', '10.0.0.1_443', '80', '8080'),
  fc.subarray(IDS),
  { minKeys: 1 },
);

test('only the patches that Envoy rejects are withheld, each from the resources in which it is rejected', (t) => {
  fc.assert(
    fc.property(
      patchedArbitrary,
      fc.array(fc.tuple(fc.nat(6), fc.nat(5))),
      fc.boolean(),
      (patched, guilty, namesResources) => {
        const names = Object.keys(patched);
        const bad = new Set(guilty.map(([patch, name]) => `p${patch}@${names[name % names.length]}`));
        const envoy: Envoy = {
          namesResources,
          takes: (name, patches) => !patches.some((id) => bad.has(`${id}@${name}`)),
        };
        const trial = new PatchTrial();
        const { accepted, responses } = converge(patched, trial, envoy);
        const wanted = names.flatMap((name) =>
          (patched[name] ?? []).filter((id) => bad.has(`${id}@${name}`)).map((id) => `${id}@${name}`),
        );
        t.not(accepted, undefined);
        // Without names, a patch that is bad somewhere may be withheld where it is good.
        const found = pairsOf(trial, patched);
        // A number is no name that an error can be searched for.
        const isExact = namesResources && !names.some((name) => /^\d+$/.test(name));
        if (isExact) t.deepEqual([...found].sort(), [...wanted].sort());
        else for (const pair of wanted) t.true(found.includes(pair));
        const guiltyIds = new Set(wanted.map((pair) => pair.slice(0, 2)));
        t.true(found.every((pair) => guiltyIds.has(pair.slice(0, 2))));
        t.true(responses <= 4 * (1 + guiltyIds.size) * 6 * names.length, `${responses} responses`);
      },
    ),
  );
});

test('a proxy that gets one more bad patch loses no other, and needs one response to have what it had', (t) => {
  const trial = new PatchTrial();
  const envoy: Envoy = { namesResources: true, takes: (_name, patches) => !patches.includes('bad') };
  const { accepted } = converge({ virtualInbound: ['good'] }, trial, envoy);
  const { responses } = converge({ virtualInbound: ['good', 'bad'] }, trial, envoy, accepted);
  t.is(responses, 2);
  t.deepEqual(pairsOf(trial, { virtualInbound: ['good', 'bad'] }), ['bad@virtualInbound']);
});

test('patches that only together are bad stay as far as Envoy takes them', (t) => {
  const trial = new PatchTrial();
  const patched = { virtualInbound: ['a', 'b', 'c'] };
  converge(patched, trial, { namesResources: true, takes: (_name, ids) => !(ids.includes('a') && ids.includes('c')) });
  t.is(pairsOf(trial, patched).length, 1);
  t.false(pairsOf(trial, patched).includes('b@virtualInbound'));
});

test('patches of a resource that Envoy rejects without them too are given back', (t) => {
  for (const namesResources of [true, false]) {
    const trial = new PatchTrial();
    const patched = { virtualInbound: ['a', 'b'], virtualOutbound: ['a'] };
    const { responses } = converge(patched, trial, { namesResources, takes: (name) => name !== 'virtualInbound' });
    t.deepEqual(trial.withheld, []);
    t.is(responses, 3);
  }
});

test('patches of other resources stay where the error names a resource without patches', (t) => {
  const trial = new PatchTrial();
  const patched = { virtualInbound: ['a'], virtualOutbound: [] };
  const { responses } = converge(patched, trial, { namesResources: true, takes: (name) => name !== 'virtualOutbound' });
  t.deepEqual(trial.withheld, []);
  t.is(responses, 1);
});

test('a proxy that rejects every response gets few of them', (t) => {
  const trial = new PatchTrial();
  const patched = Object.fromEntries(IDS.map((id) => [`listener-${id}`, IDS]));
  const { responses } = converge(patched, trial, { namesResources: true, takes: () => false });
  t.true(responses <= 3, `${responses}`);
});

test('a patch that is rejected in many resources is withheld from all of them', (t) => {
  const trial = new PatchTrial();
  const patched = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`listener-${index}`, ['bad']]));
  const { responses } = converge(patched, trial, { namesResources: true, takes: (_name, ids) => ids.length === 0 });
  t.is(responses, 2);
  t.is(trial.withheld[0]?.resources, undefined);
});

test('a withheld patch is tried again after ten minutes, and not before', (t) => {
  const trial = new PatchTrial();
  const patched = { virtualInbound: ['bad'] };
  converge(patched, trial, { namesResources: true, takes: (_name, ids) => ids.length === 0 });
  t.is(trial.accepted(RETRY_MS - 1), 'unchanged');
  t.is(trial.withheld.length, 1);
  t.is(trial.accepted(RETRY_MS), 'changed');
  t.deepEqual(trial.withheld, []);
});

test('more patches than the limit are not withheld', (t) => {
  const trial = new PatchTrial();
  const ids = Array.from({ length: MAX_WITHHELD_PATCHES + 1 }, (_, index) => `p${index}`);
  const set = resourcesOf({ virtualInbound: ids }, trial);
  t.is(trial.rejected({ set, accepted: undefined, text: 'virtualInbound: bad' }, 'bad', 0), 'full');
  t.deepEqual(trial.withheld, []);
});
