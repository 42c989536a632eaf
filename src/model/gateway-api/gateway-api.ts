import type { DerivationProblem } from '../derived/derivation.js';
import type { ListedGateway } from '../gateways/gateway-index.js';
import type { GatewayServer } from '../gateways/gateway-server.js';
import type { GatewayApiReport } from './report.js';
import type { DraftHost } from './route-draft.js';

/** The routes of all listeners. The same object while they stay the same. */
export interface GatewayApiRoutes {
  /** Changes with the routes of any listener. Empty without any. */
  readonly id: string;
  /** The hosts of a listener, each once. Undefined for servers of other Gateways. */
  hostsOf(server: Pick<GatewayServer, 'gateway' | 'index'>): readonly DraftHost[] | undefined;
}

/** What the objects of the Gateway API make of routers, and what their statuses say. */
export interface GatewayApi {
  readonly routes: GatewayApiRoutes;
  /** The same array while they stay the same. */
  readonly gateways: readonly ListedGateway[];
  readonly report: GatewayApiReport;
  /** What of the report is not as its author wants it. The same array while it stays the same. */
  readonly problems: readonly DerivationProblem[];
}

export const NO_GATEWAY_API: GatewayApi = {
  routes: { id: '', hostsOf: () => undefined },
  gateways: [],
  report: { classes: [], gateways: [], routes: [] },
  problems: [],
};
