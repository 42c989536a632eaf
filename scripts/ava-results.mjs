// Counts tests by the lines of ava's default reporter, which also go to the terminal.
import { stripVTControlCharacters } from 'node:util';

/** ava prints a separator between its list of tests and the details of failures. */
const END_OF_LIST = /^ {2}─$/;

/** The outcomes that a line of the list can show. The last two are of tests that did not run. */
const LINES = [
  [/^ {2}✔ (.*)$/, ([, title]) => ({ passed: 1, duration: durationOf(title) })],
  [/^ {2}- \[(?:skip|todo)\] (.*)$/, ([, title]) => ({ skipped: title })],
  [/^ {2}✘ (\d+) tests? remaining in /, ([, count]) => ({ failed: Number(count) })],
  [/^ {2}✘ (?!Timed out|Exiting)(?:\[fail\]: )?(.*)$/, ([, title]) => ({ failed: 1, title })],
  [/^ {2}◌ (.*)$/, ([, title]) => ({ failed: 1, title })],
];

/** ava names the file before the title, and shows how long a test took from 100 ms on: `xds › session › title (1m 2.5s)`. */
const DURATION = /^(.*) › .* \((?:(\d+)m ?)?(?:([\d.]+)s)?(?:(\d+)ms)?\)$/;

function durationOf(line) {
  const [, file, minutes = 0, seconds = 0, ms = 0] = DURATION.exec(line) ?? [];
  return file === undefined
    ? undefined
    : { file, seconds: Number(minutes) * 60 + Number(seconds) + Number(ms) / 1_000 };
}

/**
 * Returns { feed(line), results() } with results { passed, failed, skipped: titles, failures: titles, details: lines,
 * durations: { file, seconds } of passed tests }.
 */
export function createAvaReader() {
  const results = { passed: 0, failed: 0, skipped: [], failures: [], details: [], durations: [] };
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
        const { passed = 0, failed = 0, skipped, title, duration } = read(match);
        results.passed += passed;
        results.failed += failed;
        if (skipped !== undefined) results.skipped.push(skipped);
        if (duration !== undefined) results.durations.push(duration);
        if (title !== undefined) results.failures.push(title);
        return;
      }
    },
    results: () => results,
  };
}
