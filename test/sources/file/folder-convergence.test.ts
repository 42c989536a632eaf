import test from 'ava';
import { eventually } from '../../support/eventually.js';
import fc from '../../support/property-testing.js';
import { createFolderHarness, hostsOf, serviceEntry, startHarness } from '../support/folder-harness.js';

const FILES = ['a.yaml', 'b.yaml', 'sub/c.yaml'];

const steps = fc.array(
  fc.record({
    file: fc.constantFrom(...FILES),
    action: fc.constantFrom('overwrite', 'write', 'corrupt', 'remove', 'remove folder'),
    version: fc.nat(9),
    pauseMs: fc.constantFrom(0, 0, 5, 30),
  }),
  { minLength: 5, maxLength: 15 },
);

for (const [run, seed] of [11, 22, 33, 44].entries()) {
  test(`a real folder that is changed at random is served in the end as a fresh source reads it (${run})`, async (t) => {
    const harness = await createFolderHarness(t, { debounceMs: 5 });
    const { folder } = harness;
    await startHarness(harness);
    for (const { file, action, version, pauseMs } of fc.sample(steps, { seed, numRuns: 3 }).flat()) {
      const text = serviceEntry(file.replace(/\W/g, '-'), `v${version}.example.com`);
      if (action === 'overwrite') await folder.overwrite(file, text);
      else if (action === 'write') await folder.write(file, text);
      else if (action === 'corrupt') await folder.overwrite(file, `${text}---\n{`);
      else await folder.remove(action === 'remove' ? file : 'sub');
      // Varies whether the source sees a step by itself or several at once.
      if (pauseMs > 0) await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
    await folder.overwrite('a.yaml', serviceEntry('a-yaml', 'last.example.com'));
    await folder.write('sub/c.yaml', serviceEntry('sub-c-yaml', 'last.example.com'));
    await folder.remove('b.yaml');

    const fresh = await createFolderHarness(t, { directory: folder.path });
    await startHarness(fresh);
    const stateOf = ({ objects }: typeof harness): string => JSON.stringify([...objects].sort());
    await eventually('both sources serve the same', () => stateOf(harness) === stateOf(fresh));
    t.deepEqual(hostsOf(harness), ['last.example.com', 'last.example.com']);
    t.deepEqual(harness.source.reports(), []);
  });
}
