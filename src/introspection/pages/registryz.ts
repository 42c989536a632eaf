import { JsonList } from '../json-source.js';
import { json, type Page } from '../page.js';
import { requireContext } from '../views.js';
import { everyService, serviceJson } from './service-json.js';

/** Array of all services, with an empty object at its end. */
export const registryz: Page = {
  path: '/debug/registryz',
  description: 'All services of all registries',
  audience: 'operator',
  handle: (views) => {
    const context = requireContext(views);
    return json(
      new JsonList(
        (function* () {
          for (const service of everyService(context)) yield serviceJson(service);
          yield {};
        })(),
      ),
    );
  },
};
