import { TypeUrl } from '../../envoy/type-urls.js';
import { findProxy, PROXY_ID } from '../find-proxy.js';
import { json, type Page } from '../page.js';
import { pushNow } from './push-now.js';
import { servedResources } from './served-resources.js';

/** Array of the proxy's load assignments (BEHAVIOUR 2). */
export const edsz: Page = {
  path: '/debug/edsz',
  description: 'Load assignments of one proxy; push=true pushes everything to all',
  audience: 'operator',
  parameters: [PROXY_ID],
  handle: (views, request) =>
    pushNow(views, request) ?? json(servedResources(views, findProxy(views, request.query).id, TypeUrl.endpoint)),
};
