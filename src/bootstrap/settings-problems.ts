import type { ConfigProblem } from '../introspection/views.js';
import type { WatchedFile } from '../sources/file/watched-file.js';

/** What of a settings file is not in force as it is written, for people. */
export function settingsProblems(
  file: string,
  watched: Pick<WatchedFile<unknown>, 'problems' | 'warnings'>,
): readonly ConfigProblem[] {
  return [
    ...watched.problems().map((reason) => ({ file, reason })),
    ...watched.warnings().map((reason) => ({ level: 'Warn' as const, file, reason })),
  ];
}
