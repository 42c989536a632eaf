/** A group of security advisories of Envoy that one set of releases fixed. */
interface Advisory {
  /** Advisories of github.com/envoyproxy/envoy/security. */
  readonly names: readonly string[];
  /** The fixed patch release of each minor version. Older minor versions have no fix; newer ones never had the problem. */
  readonly fixedIn: readonly string[];
}

/** The advisories that this build knows, newest first. The releases of Envoy's version history name them. */
const ADVISORIES: readonly Advisory[] = [
  {
    names: [
      ...['CVE-2026-47204', 'CVE-2026-47207', 'CVE-2026-47221', 'CVE-2026-47692', 'CVE-2026-47775', 'CVE-2026-47778'],
      ...['CVE-2026-48042', 'CVE-2026-48044', 'CVE-2026-48090', 'CVE-2026-48497'],
    ],
    fixedIn: ['1.38.3', '1.37.5', '1.36.9', '1.35.13'],
  },
  { names: ['GHSA-22m2-hvr2-xqc8'], fixedIn: ['1.38.1', '1.37.3', '1.36.7', '1.35.11'] },
  {
    names: ['CVE-2026-26309', 'CVE-2026-26311', 'CVE-2026-26330'],
    fixedIn: ['1.37.1', '1.36.5', '1.35.9', '1.34.13'],
  },
  {
    names: ['CVE-2025-64527', 'CVE-2025-64763', 'CVE-2025-66220'],
    fixedIn: ['1.36.3', '1.35.7', '1.34.11', '1.33.13'],
  },
  { names: ['CVE-2025-62409'], fixedIn: ['1.36.1', '1.35.5', '1.34.9', '1.33.10'] },
  { names: ['CVE-2023-44487'], fixedIn: ['1.27.1', '1.26.5', '1.25.10', '1.24.11'] },
];

/**
 * The known advisories that affect a version of Envoy, newest first.
 *
 * @returns undefined if the text is no version
 */
export function advisoriesOf(
  version: string,
): readonly { readonly names: readonly string[]; readonly fixedIn: string }[] | undefined {
  const own = parse(version);
  if (own === undefined) return undefined;
  return ADVISORIES.flatMap(({ names, fixedIn }) => {
    const fixes = fixedIn.map((text) => ({ text, parts: parse(text) ?? own }));
    const [newest] = fixes;
    if (newest === undefined || compare(own, newest.parts) >= 0) return [];
    const same = fixes.find(({ parts }) => parts[0] === own[0] && parts[1] === own[1]);
    if (same !== undefined) return compare(own, same.parts) >= 0 ? [] : [{ names, fixedIn: same.text }];
    // Between two minor versions with fixes there is none without.
    return [{ names, fixedIn: newest.text }];
  });
}

type Parts = readonly [number, number, number];

function parse(version: string): Parts | undefined {
  const match = /^v?(\d+)\.(\d+)\.(\d+)/.exec(version);
  return match === null ? undefined : [Number(match[1]), Number(match[2]), Number(match[3])];
}

function compare(first: Parts, second: Parts): number {
  return first[0] - second[0] || first[1] - second[1] || first[2] - second[2];
}
