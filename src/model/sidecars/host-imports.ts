/** The hosts that a Sidecar lists: which services and routing objects of which namespaces a workload sees. */
export interface HostImports {
  /** Equal keys import the same hosts. */
  readonly key: string;
  /** Whether nothing is left out. */
  readonly isEverything: boolean;
  /** The namespaces of imported hosts; undefined for all namespaces. */
  readonly namespaces: readonly string[] | undefined;
  /**
   * @param namespace of the service or object
   * @param hostname may start with `*.`; it is imported too if it stands for an imported host
   */
  imports(namespace: string, hostname: string): boolean;
}

/** The hosts of one namespace, or of all. */
interface HostSet {
  all: boolean;
  readonly exact: Set<string>;
  /** `.example.com` for `*.example.com`. */
  readonly suffixes: Set<string>;
}

const ANY_NAMESPACE = '*';
const OWN_NAMESPACE = '.';
const NO_NAMESPACE = '~';

/**
 * @param hosts `<namespace>/<host>`: the namespace may be `*`, `.` or `~`, the host may be `*` or start with `*.`
 * @param ownNamespace of the workload
 */
export function parseHostImports(hosts: readonly string[], ownNamespace: string): HostImports {
  const sets = new Map<string, HostSet>();
  const names = new Set<string>();
  for (const text of hosts) {
    const slash = text.indexOf('/');
    const said = text.slice(0, slash);
    if (said === NO_NAMESPACE) continue;
    const namespace = said === OWN_NAMESPACE ? ownNamespace : said;
    const host = text.slice(slash + 1).toLowerCase();
    names.add(`${namespace}/${host}`);
    const set = sets.get(namespace) ?? { all: false, exact: new Set(), suffixes: new Set() };
    sets.set(namespace, set);
    if (host === '*') set.all = true;
    else if (host.startsWith('*.')) set.suffixes.add(host.slice(1));
    else set.exact.add(host);
  }
  const anywhere = sets.get(ANY_NAMESPACE);
  return {
    key: [...names].sort().join(),
    isEverything: anywhere?.all === true,
    namespaces: anywhere === undefined ? [...sets.keys()] : undefined,
    imports: (namespace, hostname) => {
      const own = sets.get(namespace);
      const host = hostname.toLowerCase();
      return (own !== undefined && hasHost(own, host)) || (anywhere !== undefined && hasHost(anywhere, host));
    },
  };
}

function hasHost({ all, exact, suffixes }: HostSet, hostname: string): boolean {
  if (all || exact.has(hostname)) return true;
  if (suffixes.size > 0) {
    for (let dot = hostname.indexOf('.'); dot >= 0; dot = hostname.indexOf('.', dot + 1)) {
      if (suffixes.has(hostname.slice(dot))) return true;
    }
  }
  if (!hostname.startsWith('*.')) return false;
  const suffix = hostname.slice(1);
  for (const host of exact) if (host.endsWith(suffix)) return true;
  return false;
}
