import type { ConfigProblem } from '../introspection/views.js';
import type { WatchedFile } from '../sources/file/watched-file.js';

/**
 * What of some settings is not in force as it is written, for people.
 *
 * @param place of the settings: their file, or the ConfigMap and its entry
 */
export function settingsProblems(
  place: Pick<ConfigProblem, 'file' | 'object' | 'field'>,
  watched: Pick<WatchedFile<unknown>, 'problems' | 'warnings'>,
): readonly ConfigProblem[] {
  return [
    ...watched.problems().map((reason) => ({ ...place, reason })),
    ...watched.warnings().map((reason) => ({ level: 'Warn' as const, ...place, reason })),
  ];
}
