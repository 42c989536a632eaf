import type { EffectiveRule } from './effective-rule.js';
import { normalHost } from './rule-entry.js';

/** Rules by host. The most specific host that matches applies: the full name, then the longest pattern. */
export interface HostRules {
  of(hostname: string): EffectiveRule | undefined;
  readonly rules: readonly EffectiveRule[];
}

export function createHostRules(rules: readonly EffectiveRule[]): HostRules {
  const byHost = new Map(rules.map((rule) => [rule.host, rule]));
  const hasPatterns = rules.some(({ host }) => host.startsWith('*'));
  return {
    rules,
    of: (hostname) => {
      const host = normalHost(hostname);
      const exact = byHost.get(host);
      if (exact !== undefined || !hasPatterns) return exact;
      // A host may be a pattern itself: `*.example.com` of a ServiceEntry.
      for (let dot = host.indexOf('.'); dot !== -1; dot = host.indexOf('.', dot + 1)) {
        const found = byHost.get(`*${host.slice(dot)}`);
        if (found !== undefined) return found;
      }
      return byHost.get('*');
    },
  };
}

export const NO_RULES: HostRules = createHostRules([]);
