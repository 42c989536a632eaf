import { own } from './pod.js';

export type ScrapeField = 'scrape' | 'path' | 'port';

/** Annotations that scrapers of metrics read. */
export const METRICS_ANNOTATIONS: Readonly<Record<ScrapeField, string>> = {
  scrape: 'prometheus.io/scrape',
  path: 'prometheus.io/path',
  port: 'prometheus.io/port',
};

const MERGED_PATH = '/stats/prometheus';

export interface MergedMetrics {
  readonly annotations: Readonly<Record<string, string>>;
  /** The pod's own annotations, for the agent. */
  readonly original: Readonly<Partial<Record<ScrapeField, string>>>;
}

/**
 * Directs scrapers to the agent on the status port, which scrapes the application. Undefined for a pod that excludes
 * scraping.
 */
export function mergeMetrics(
  annotations: Readonly<Record<string, string>>,
  statusPort: number,
): MergedMetrics | undefined {
  const original: Partial<Record<ScrapeField, string>> = {};
  for (const [field, name] of Object.entries(METRICS_ANNOTATIONS) as [ScrapeField, string][]) {
    const value = own(annotations, name);
    if (typeof value === 'string') original[field] = value;
  }
  if (original.scrape === 'false' || statusPort === 0) return undefined;
  const { scrape, path, port } = METRICS_ANNOTATIONS;
  return { original, annotations: { [scrape]: 'true', [path]: MERGED_PATH, [port]: String(statusPort) } };
}
