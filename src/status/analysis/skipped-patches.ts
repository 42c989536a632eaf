import type { Finding } from '../../model/finding.js';
import { type AnalysisMessage, createMessage, identityOf, sortMessages } from './analysis-message.js';

/** The skipped patches of EnvoyFilters among the findings of generation for the connected proxies. Each appears once; sorted. */
export function skippedPatches(findings: readonly Finding[]): readonly AnalysisMessage[] {
  const messages = new Map<string, AnalysisMessage>();
  const keys = new Set<string>();
  for (const { metric, key, object, message } of findings) {
    if (metric !== 'nav_envoy_filter_patches_skipped' || object === undefined || keys.has(key)) continue;
    keys.add(key);
    const [place = ''] = /\[\d+\]$/.exec(key) ?? [];
    const found = createMessage('patchSkipped', { object, field: `spec.configPatches${place}` }, message);
    messages.set(identityOf(found), found);
  }
  return sortMessages([...messages.values()]);
}
