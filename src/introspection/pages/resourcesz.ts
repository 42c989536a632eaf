import { compareText } from '../order.js';
import { json, type Page } from '../page.js';

export const resourcesz: Page = {
  path: '/debug/resourcesz',
  description: 'Supported kinds of configuration',
  audience: 'operator',
  handle: (views) =>
    json(
      views.knownKinds
        .map(({ group, version, kind }) => ({ group, version, kind }))
        .sort(
          (first, second) =>
            compareText(first.group, second.group) ||
            compareText(first.kind, second.kind) ||
            compareText(first.version, second.version),
        ),
    ),
};
