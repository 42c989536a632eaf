import type { EnvoyFilterPatch } from '../../config/networking/envoy-filter.js';
import { createRegexPrograms } from '../../config/regex/regex-programs.js';
import type { Proxy } from '../proxy.js';

/** Whether a patch is for a proxy: by its kind, its version and its metadata. */
export type ProxyMatcher = (patch: EnvoyFilterPatch, proxy: Proxy) => boolean;

/** Versions are short; a peer may send a longer text. */
const MAX_VERSION_LENGTH = 256;
/** Compiled expressions of all EnvoyFilters; others are compiled again when they are needed. */
const MAX_PROGRAM_BYTES = 8 * 1024 * 1024;

export function createProxyMatcher(): ProxyMatcher {
  const programs = createRegexPrograms({ maxBytes: MAX_PROGRAM_BYTES });
  const versionMatches = (expression: string, version: string): boolean => {
    // The expression may be found anywhere, and programs match whole texts.
    const anywhere = `(?s:.*)(?:${expression})(?s:.*)`;
    return programs.program([anywhere], '').match(version.slice(0, MAX_VERSION_LENGTH)).length > 0;
  };
  return ({ match }, { type, version, metadata }) => {
    if (match === undefined) return true;
    const { context, proxy } = match;
    if (context !== 'ANY' && (context === 'GATEWAY') !== (type === 'router')) return false;
    if (proxy === undefined) return true;
    if (proxy.proxyVersion !== undefined && !versionMatches(proxy.proxyVersion, metadata.meshVersion ?? version)) {
      return false;
    }
    const texts = metadata.texts ?? {};
    return Object.entries(proxy.metadata ?? {}).every(
      ([key, value]) => Object.hasOwn(texts, key) && texts[key] === value,
    );
  };
}
