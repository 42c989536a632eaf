import { compareText } from '../order.js';
import { json, type Page } from '../page.js';

/** Ours: what the sources could not take and what analysis found, so that nobody has to search a log for it. */
export const configProblems: Page = {
  path: '/debug/config_problems',
  description:
    'Files and objects that could not be read, whose last good state is served on; and what is odd about those that were',
  audience: 'operator',
  handle: (views) =>
    json(
      views
        .problems()
        .toSorted(
          (first, second) =>
            compareText(first.file ?? '', second.file ?? '') ||
            (first.document ?? 0) - (second.document ?? 0) ||
            compareText(first.object ?? '', second.object ?? '') ||
            compareText(first.field ?? '', second.field ?? '') ||
            compareText(first.reason, second.reason),
        ),
    ),
};
