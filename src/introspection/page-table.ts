import { createDebugIndex } from './debug-index.js';
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

/** All pages: the index, then the listed pages, sorted by path. */
export function createPages(): readonly Page[] {
  const listed = [
    adsz,
    appliedz,
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
    policyz,
    proxySizes,
    pushStatus,
    readyPage,
    registryz,
    resourcesz,
    syncz,
    versionPage,
  ].sort((first, second) => compareText(first.path, second.path));
  return [createDebugIndex('Navigator discovery', listed), ...listed];
}
