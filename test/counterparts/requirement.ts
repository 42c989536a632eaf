import { findEnvoy } from './find-envoy.js';
import { findNamespaceMode, type NamespaceMode } from './namespace-mode.js';

/** Requirements of tests with real sidecars. */
export interface SidecarCounterparts {
  /** `none`: on the machine's own network, without capture (for the demo, where there is nothing better). */
  readonly mode: NamespaceMode | 'none';
  readonly envoy: string;
}

export type Requirement =
  | { readonly available: SidecarCounterparts; readonly missing?: never }
  | { readonly available?: never; readonly missing: string };

/**
 * Envoy, and network namespaces as root. Without them the tests are declared as skipped, and `npm test`
 * lists them with the reason; with REQUIRE_COUNTERPARTS=1 the missing counterpart is an error here.
 */
export function requireSidecarCounterparts(): Requirement {
  const envoy = findEnvoy();
  const mode = findNamespaceMode();
  const reasons = [
    ...('missing' in envoy ? [envoy.missing] : []),
    ...('missing' in mode ? [mode.missing] : []),
    ...('value' in mode && mode.value === 'user' ? ['capturing all traffic of an app needs root'] : []),
  ];
  if ('value' in envoy && 'value' in mode && reasons.length === 0) {
    return { available: { mode: mode.value, envoy: envoy.value } };
  }
  const missing = reasons.join('; ');
  if (process.env['REQUIRE_COUNTERPARTS'] === '1') throw new Error(`a counterpart is missing: ${missing}`);
  return { missing };
}
