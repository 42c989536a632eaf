import { existsSync, readFileSync } from 'node:fs';

/** Version of the running build. Unknown fields are `unknown` (docs/reference/http.md#version). */
export interface BuildInfo {
  readonly version: string;
  /** Commit that was built. */
  readonly revision: string;
  /** The runtime, such as `node v20.19.0`; printed where the format has a field for a compiler's version. */
  readonly runtime: string;
  /** `Clean` or `Modified` at build time. */
  readonly status: string;
  readonly tag: string;
}

const UNKNOWN = 'unknown';

/** The folder of package.json above this code, which is a module or part of a bundle. */
function packageRoot(): URL {
  let folder = new URL('./', import.meta.url);
  while (!existsSync(new URL('package.json', folder)) && folder.pathname !== '/') folder = new URL('../', folder);
  return folder;
}

/**
 * Reads the version from package.json, and revision, status and tag from `build/build-info.json` if the build has
 * written it.
 */
export function readBuildInfo(root: URL = packageRoot()): BuildInfo {
  const manifest = readJson(new URL('package.json', root));
  const baked = readJson(new URL('build/build-info.json', root));
  const fieldOf = (source: Readonly<Record<string, unknown>>, key: string): string => {
    const value = source[key];
    return typeof value === 'string' && value !== '' ? value : UNKNOWN;
  };
  return {
    version: fieldOf(manifest, 'version'),
    revision: fieldOf(baked, 'revision'),
    runtime: `node ${process.version}`,
    status: fieldOf(baked, 'status'),
    tag: fieldOf(baked, 'tag'),
  };
}

/** `<version>-<revision>-<status>`, the payload of /version (docs/reference/http.md#version). */
export function versionLine({ version, revision, status }: BuildInfo): string {
  return `${version}-${revision}-${status}`;
}

/** An unreadable file counts as empty: missing build information must not prevent the start. */
function readJson(file: URL): Readonly<Record<string, unknown>> {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    return typeof value === 'object' && value !== null ? { ...value } : {};
  } catch {
    return {};
  }
}
