import type { Page } from '../page.js';
import { checkReadiness } from '../ready.js';

/** 200 or 503 with an empty body (BEHAVIOUR 2); the index page says why. */
export const readyPage: Page = {
  path: '/ready',
  description: 'Whether this instance is ready: status 200 or 503, no body',
  audience: 'anyone',
  handle: async (views) => {
    const readiness = await checkReadiness(views.probes);
    return { type: 'empty', status: readiness.ready ? 200 : 503 };
  },
};
