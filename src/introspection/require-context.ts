import type { PushContext } from '../model/push-context.js';
import { HttpProblem } from './http-problem.js';
import type { Views } from './views.js';

/** @throws HttpProblem 503 while the sources have not synced. */
export function requireContext(views: Views): PushContext {
  const context = views.context();
  if (context === undefined) {
    throw new HttpProblem(503, 'The configuration has not been read completely yet. /ready answers 200 once it has.');
  }
  return context;
}
