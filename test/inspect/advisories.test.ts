import test from 'ava';
import { advisoriesOf } from '../../src/inspect/check/advisories.js';

const CASES: readonly [version: string, fixes: readonly string[] | undefined][] = [
  ['1.40.0', []],
  ['1.38.3', []],
  ['1.38.2', ['1.38.3']],
  ['1.38.0', ['1.38.3', '1.38.1']],
  ['1.36.6', ['1.36.9', '1.36.7']],
  ['1.36.2', ['1.36.9', '1.36.7', '1.36.5', '1.36.3']],
  ['1.35.8', ['1.35.13', '1.35.11', '1.35.9']],
  ['1.30.0', ['1.38.3', '1.38.1', '1.37.1', '1.36.3', '1.36.1']],
  ['1.27.0', ['1.38.3', '1.38.1', '1.37.1', '1.36.3', '1.36.1', '1.27.1']],
  ['1.37.5-dev', []],
  ['unknown', undefined],
];

for (const [version, fixes] of CASES) {
  test(`the releases that fix Envoy ${version}`, (t) => {
    t.deepEqual(
      advisoriesOf(version)?.map(({ fixedIn }) => fixedIn),
      fixes,
    );
  });
}
