import { type Page, text } from '../page.js';
import { checkReadiness } from '../ready.js';

/** 200 or 503 with an empty body. The index page shows the reason. */
export const readyPage: Page = {
  path: '/ready',
  description: 'Whether this instance is ready: status 200 or 503, no body',
  audience: 'anyone',
  handle: async (views) => {
    const readiness = await checkReadiness(views.probes);
    return { type: 'empty', status: readiness.ready ? 200 : 503 };
  },
};

/** `<version>-<revision>-<status>`. */
export const versionPage: Page = {
  path: '/version',
  description: 'Version, revision and build status',
  audience: 'anyone',
  handle: ({ build }) => text(`${build.version}-${build.revision}-${build.status}`),
};

export const metricsPage: Page = {
  path: '/metrics',
  description: 'Metrics in the text format of Prometheus',
  audience: 'anyone',
  handle: async (views) => {
    const { bytes, contentType } = await views.metrics();
    return { type: 'bytes', bytes, contentType };
  },
};
