import { TypeUrl } from '../../envoy/type-urls.js';
import { findProxy, PROXY_ID } from '../find-proxy.js';
import { json, type Page } from '../page.js';
import { pushNow } from './adsz.js';
import { servedResources } from './served-resources.js';

/** Array of the proxy's load assignments. */
export const edsz: Page = {
  path: '/debug/edsz',
  description: 'Endpoints of one proxy as load assignments; push=true pushes the configuration to all proxies',
  audience: 'operator',
  parameters: [PROXY_ID],
  handle: (views, request) =>
    pushNow(views, request) ?? json(servedResources(views, findProxy(views, request.query).id, TypeUrl.endpoint)),
};
