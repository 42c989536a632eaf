import { compareText } from '../order.js';
import { json, type Page } from '../page.js';

/** The files and objects that sources rejected, and the findings of analysis. */
export const configProblems: Page = {
  path: '/debug/config_problems',
  description:
    'Rejected files and objects, whose last valid state stays in force; and findings of analysis in valid objects',
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
