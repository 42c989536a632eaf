import { jsonText } from '../base/printable.js';
import type { Finding, Report } from './finding.js';

/** The report for programs. Absent fields are left out. */
export function renderJson({ findings, ...summary }: Report): string {
  return jsonText({ findings: findings.map(findingJson), summary });
}

function findingJson({ object, excerpt: _, ...finding }: Finding) {
  const [kind, namespace, ...name] = object?.split('/') ?? [];
  return {
    ...finding,
    ...(kind === undefined ? {} : { object: { kind, namespace, name: name.join('/') } }),
    documentation: `docs/analysis.md#${finding.code.toLowerCase()}`,
  };
}
