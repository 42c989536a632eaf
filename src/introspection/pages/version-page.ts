import { type Page, text } from '../page.js';

/** `<version>-<revision>-<status>` (BEHAVIOUR 2). */
export const versionPage: Page = {
  path: '/version',
  description: 'Version, revision and build status',
  audience: 'anyone',
  handle: ({ build }) => text(`${build.version}-${build.revision}-${build.status}`),
};
