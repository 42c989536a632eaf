import { compareText } from './order.js';
import type { Page } from './page.js';
import { adsz, cdsz } from './pages/adsz.js';
import { appliedz } from './pages/appliedz.js';
import { configDistribution } from './pages/config-distribution.js';
import { configDump } from './pages/config-dump.js';
import { configProblems } from './pages/config-problems.js';
import { configz } from './pages/configz.js';
import { edsz } from './pages/edsz.js';
import { endpointShardz } from './pages/endpoint-shardz.js';
import { endpointz } from './pages/endpointz.js';
import { inject } from './pages/inject.js';
import { instancesz } from './pages/instancesz.js';
import { mesh } from './pages/mesh.js';
import { policyz } from './pages/policyz.js';
import { proxySizes } from './pages/proxy-sizes.js';
import { metricsPage, readyPage, versionPage } from './pages/public-pages.js';
import { pushStatus } from './pages/push-status.js';
import { registryz } from './pages/registryz.js';
import { resourcesz } from './pages/resourcesz.js';
import { syncz } from './pages/syncz.js';
import { callsPage } from './web/calls-page.js';
import { objectPage } from './web/object-page.js';
import { objectsPage } from './web/objects-page.js';
import { createOverview } from './web/overview-page.js';
import { policyPage } from './web/policy-page.js';
import { proxiesPage } from './web/proxies-page.js';
import { proxyPage } from './web/proxy-page.js';
import { pushesPage } from './web/pushes-page.js';
import { quotasPage } from './web/quotas-page.js';
import { servicePage } from './web/service-page.js';
import { servicesPage } from './web/services-page.js';
import type { Site } from './web/site.js';

/** The pages for people of the discovery server. */
export const DISCOVERY_SITE: Site = {
  title: 'Navigator discovery',
  links: [
    { path: '/debug', label: 'Overview' },
    { path: '/debug/proxies', label: 'Proxies' },
    { path: '/debug/services', label: 'Services' },
    { path: '/debug/calls', label: 'Calls' },
    { path: '/debug/objects', label: 'Objects' },
    { path: '/debug/policy', label: 'Policy' },
    { path: '/debug/quotas', label: 'Quotas' },
    { path: '/debug/pushes', label: 'Pushes' },
  ],
};

/** The pages that instances of the control plane read of one another. */
export function instancePages(site: Site): readonly Page[] {
  return [createOverview(site, []), proxiesPage(site), proxyPage(site), objectPage(site), quotasPage(site)];
}

/**
 * All pages: the index, then the listed pages, sorted by path.
 *
 * @param more pages that only some processes have
 */
export function createPages(site: Site = DISCOVERY_SITE, more: readonly Page[] = []): readonly Page[] {
  const listed = [
    ...more,
    adsz,
    appliedz,
    callsPage(site),
    cdsz,
    configDistribution,
    configDump,
    configProblems,
    configz,
    edsz,
    endpointShardz,
    endpointz,
    inject,
    instancesz,
    mesh,
    metricsPage,
    objectPage(site),
    objectsPage(site),
    policyPage(site),
    policyz,
    proxiesPage(site),
    proxyPage(site),
    pushesPage(site),
    quotasPage(site),
    proxySizes,
    pushStatus,
    readyPage,
    registryz,
    resourcesz,
    servicePage(site),
    servicesPage(site),
    syncz,
    versionPage,
  ].sort((first, second) => compareText(first.path, second.path));
  return [createOverview(site, listed), ...listed];
}
