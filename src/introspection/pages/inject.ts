import { HttpProblem } from '../http-problem.js';
import { type Page, text } from '../page.js';

export const inject: Page = {
  path: '/debug/inject',
  description: 'The template of the sidecar injector',
  audience: 'operator',
  handle: (views) => {
    const template = views.injectionTemplate?.();
    if (template === undefined)
      throw new HttpProblem(404, 'The sidecar injector is off, because it has no configuration.');
    return text(template);
  },
};
