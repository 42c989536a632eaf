import test from 'ava';
import { allTargets } from './all-targets.js';
import { attempt } from './attempt.js';
import { casesFolders, keptCases } from './case-files.js';
import { stopHttpServer } from './targets/http.js';

test.after.always(stopHttpServer);

test('every folder of cases belongs to a target', (t) => {
  const names = allTargets.map(({ name }) => name);
  t.deepEqual(
    casesFolders().filter((folder) => !names.includes(folder)),
    [],
  );
  t.is(new Set(names).size, names.length);
});

for (const target of allTargets) {
  for (const { file, problem, input } of keptCases(target.name)) {
    test(`${target.name}: ${file} is parsed or refused (${problem.split('\n')[0]?.slice(0, 100)})`, async (t) => {
      await t.notThrowsAsync(attempt(target, input));
    });
  }
}
