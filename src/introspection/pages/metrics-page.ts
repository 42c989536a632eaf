import type { Page } from '../page.js';

export const metricsPage: Page = {
  path: '/metrics',
  description: 'Metrics in the scrape text format',
  audience: 'anyone',
  handle: async (views) => {
    const { bytes, contentType } = await views.metrics();
    return { type: 'bytes', bytes, contentType };
  },
};
