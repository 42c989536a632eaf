import type { GatewayServer } from '../../model/gateways/gateway-server.js';
import type { MergedServer } from '../../model/gateways/merge-servers.js';
import { isServedBy, mayShareHost } from '../../model/gateways/operator-hosts.js';
import { EVERY_REQUEST } from '../../model/traffic/http-match.js';
import type { VirtualHost } from '../../model/traffic/http-route.js';
import type { GatewayRouting } from './gateway-routing.js';

/** The virtual host of some hosts of a route table. */
export interface GatewayHost {
  readonly name: string;
  /** Domains; each is in one virtual host of the table only. */
  readonly hosts: readonly string[];
  /** Routes of these, one after the other. */
  readonly routes: readonly VirtualHost[];
  /** Whether plaintext requests are redirected to https. */
  readonly redirectsToHttps: boolean;
  /** Takes the requests that no route takes; undefined for nothing: they are answered with 404. */
  readonly server: GatewayServer | undefined;
}

interface Draft {
  readonly routes: VirtualHost[];
  redirectsToHttps: boolean;
  server: GatewayServer | undefined;
}

/** The virtual hosts of all servers of a table: servers and virtual services that name one host share it. */
export function gatewayHosts(
  servers: readonly MergedServer[],
  routing: GatewayRouting,
  port: number,
): readonly GatewayHost[] {
  const drafts = new Map<string, Draft>();
  const draftOf = (host: string): Draft => {
    let draft = drafts.get(host);
    if (draft === undefined) {
      draft = { routes: [], redirectsToHttps: false, server: undefined };
      drafts.set(host, draft);
    }
    return draft;
  };
  const operators = servers.filter((server) => server.trusted);
  for (const server of servers) {
    const mayTake = (host: string): boolean => server.trusted || mayShareHost(operators, host, server.author);
    const visit = (host: string): Draft => {
      const draft = draftOf(host);
      // One server is enough: no client expects plaintext where a Gateway forbids it. But another namespace does not forbid it
      // for hosts of the operator.
      draft.redirectsToHttps ||= server.redirectsToHttps && (server.trusted || !isServedBy(operators, host));
      if (server.defaultEndpoint !== undefined) draft.server ??= server;
      return draft;
    };
    for (const { hosts, virtualHost } of routing.virtualHostsOf(server)) {
      for (const host of hosts.filter(mayTake)) {
        const { routes } = visit(host);
        if (!routes.includes(virtualHost)) routes.push(virtualHost);
      }
    }
    if (server.redirectsToHttps || server.defaultEndpoint !== undefined)
      for (const { host } of server.hosts) if (mayTake(host)) visit(host);
  }
  return groupEqual(drafts, port);
}

/** Hosts with the same routes share a virtual host. */
function groupEqual(drafts: ReadonlyMap<string, Draft>, port: number): readonly GatewayHost[] {
  const numbers = new Map<object, number>();
  const numberOf = (value: object | undefined): number => {
    if (value === undefined) return -1;
    const known = numbers.get(value);
    if (known !== undefined) return known;
    numbers.set(value, numbers.size);
    return numbers.size - 1;
  };
  const groups = new Map<string, { readonly hosts: string[]; readonly draft: Draft }>();
  for (const [host, draft] of drafts) {
    const key = [draft.redirectsToHttps, numberOf(draft.server), ...draft.routes.map(numberOf)].join();
    const group = groups.get(key);
    if (group === undefined) groups.set(key, { hosts: [host], draft });
    else group.hosts.push(host);
  }
  return [...groups.values()].map(({ hosts, draft }) => ({ name: `${hosts[0]}:${port}`, hosts, ...draft }));
}

/** The virtual host that passes all requests on to the default endpoint of a server. */
export const TO_DEFAULT_ENDPOINT: VirtualHost = {
  name: 'default-endpoint',
  routes: [
    {
      name: 'default-endpoint',
      match: EVERY_REQUEST,
      action: {
        type: 'forward',
        destinations: [{ hostname: '', port: 0, subset: { name: '', labels: {} }, weight: 1 }],
        timeoutMs: 0,
      },
    },
  ],
};
