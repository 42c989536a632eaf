// Counts tests by the lines of ava's default reporter, which also go to the terminal.
import { stripVTControlCharacters } from 'node:util';

/** ava prints a separator between its list of tests and the details of failures. */
const END_OF_LIST = /^ {2}─$/;

/** The outcomes that a line of the list can show. The last two are of tests that did not run. */
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
