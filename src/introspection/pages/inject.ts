import { HttpProblem } from '../http-problem.js';
import { type Page, text } from '../page.js';

export const inject: Page = {
  path: '/debug/inject',
  description: 'The template of what is injected into pods, as it is written',
  audience: 'operator',
  handle: (views) => {
    const template = views.injectionTemplate?.();
    if (template === undefined) throw new HttpProblem(404, 'the sidecar injector is off: it has no configuration');
    return text(template);
  },
};
