import { type PageParameter, type PageRequest, type Reply, text } from '../page.js';
import type { Views } from '../views.js';

export const PUSH: PageParameter = { name: 'push', required: false, choice: { type: 'value', value: 'true' } };

/**
 * `push=true` starts a full push with reason `debug` and answers `Pushed to N servers` (BEHAVIOUR 2).
 * HEAD answers the same without pushing.
 */
export function pushNow(views: Views, request: PageRequest): Reply | undefined {
  if (request.query.get('push') !== 'true') return undefined;
  return text(`Pushed to ${request.safe ? views.connections().length : views.triggerPush()} servers`);
}
