import type { Work } from './work.js';

/** Names that are sorted, or merged, before the work pauses. */
const CHUNK = 2_048;

/** Sorts names by code unit and drops duplicates; pauses, for a peer may ask for a hundred thousand. */
export function* sortNames(names: readonly string[]): Work<readonly string[]> {
  if (names.length <= CHUNK) return [...new Set(names)].sort();
  if (yield* isSorted(names)) return names;
  let runs: string[][] = [];
  for (let start = 0; start < names.length; start += CHUNK) {
    runs.push(names.slice(start, start + CHUNK).sort());
    yield;
  }
  while (runs.length > 1) {
    const merged: string[][] = [];
    for (let index = 0; index < runs.length; index += 2) {
      merged.push(yield* mergeRuns(runs[index] ?? [], runs[index + 1] ?? []));
    }
    runs = merged;
  }
  return yield* withoutRepetitions(runs[0] ?? []);
}

/** Whether each name is greater than the one before. */
function* isSorted(names: readonly string[]): Work<boolean> {
  for (let index = 1; index < names.length; index++) {
    if ((names[index - 1] as string) >= (names[index] as string)) return false;
    if (index % CHUNK === 0) yield;
  }
  return true;
}

function* mergeRuns(first: readonly string[], second: readonly string[]): Work<string[]> {
  const merged: string[] = [];
  let [a, b] = [0, 0];
  while (a < first.length || b < second.length) {
    const [left, right] = [first[a], second[b]];
    if (right === undefined || (left !== undefined && left <= right)) {
      merged.push(left as string);
      a++;
    } else {
      merged.push(right);
      b++;
    }
    if (merged.length % CHUNK === 0) yield;
  }
  return merged;
}

function* withoutRepetitions(sorted: readonly string[]): Work<readonly string[]> {
  const names: string[] = [];
  for (const [index, name] of sorted.entries()) {
    if (index === 0 || name !== sorted[index - 1]) names.push(name);
    if (index % CHUNK === 0) yield;
  }
  return names;
}
