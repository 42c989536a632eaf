// Counts tests from the lines that ava's own reporter writes, which people also read as they are.
import { stripVTControlCharacters } from 'node:util';

/** ava separates its list of tests from the details of failures with a line of its own. */
const END_OF_LIST = /^ {2}─$/;

/** What a line of the list says. The last two are of tests that never came to run. */
const LINES = [
  [/^ {2}✔ /, () => ({ passed: 1 })],
  [/^ {2}- \[(?:skip|todo)\] (.*)$/, ([, title]) => ({ skipped: title })],
  [/^ {2}✘ (\d+) tests? remaining in /, ([, count]) => ({ failed: Number(count) })],
  [/^ {2}✘ (?!Timed out|Exiting)(?:\[fail\]: )?(.*)$/, ([, title]) => ({ failed: 1, title })],
  [/^ {2}◌ (.*)$/, ([, title]) => ({ failed: 1, title })],
];

/** Returns { feed(line), results() } with results { passed, failed, skipped: titles, failures: titles, details: lines }. */
export function createAvaReader() {
  const results = { passed: 0, failed: 0, skipped: [], failures: [], details: [] };
  let inList = true;
  return {
    feed(coloured) {
      const line = stripVTControlCharacters(coloured);
      if (END_OF_LIST.test(line)) inList = false;
      if (!inList) {
        results.details.push(coloured);
        return;
      }
      for (const [pattern, read] of LINES) {
        const match = pattern.exec(line);
        if (match === null) continue;
        const { passed = 0, failed = 0, skipped, title } = read(match);
        results.passed += passed;
        results.failed += failed;
        if (skipped !== undefined) results.skipped.push(skipped);
        if (title !== undefined) results.failures.push(title);
        return;
      }
    },
    results: () => results,
  };
}
