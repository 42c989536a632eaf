import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Registry } from 'prom-client';
import type { Clock } from '../base/clock.js';
import type { Metrics } from './metrics.js';

/** Response of a scrape. Scrapes within the interval get the same bytes. */
export interface MetricsText {
  readonly contentType: string;
  readonly bytes: Buffer;
}

export interface MetricsTextOptions {
  /** How long a finished rendering serves all scrapes (NAV_METRICS_MIN_INTERVAL). */
  readonly minIntervalMs: number;
  /** Updates gauges before each rendering. */
  readonly collect?: () => void;
  /** Lines that follow those of the registry. */
  readonly more?: () => Iterable<string>;
}

/** How long one slice of rendering may block the event loop. */
const SLICE_MS = 5;
/** Characters of lines between two looks at the clock. */
const LINES_AT_ONCE = 16_384;

/**
 * Renders a registry for scrapes, at limited intervals and in slices: rendering a large mesh takes tens of
 * milliseconds, and any client may scrape. Scrapes during a rendering wait for it.
 *
 * @param metrics counts scrapes and failed renderings: scrapes_total, scrape_failures_total
 */
export function createMetricsText(
  registry: Registry,
  clock: Clock,
  metrics: Pick<Metrics, 'increment'>,
  { minIntervalMs, collect = () => undefined, more = () => [] }: MetricsTextOptions,
): () => Promise<MetricsText> {
  let rendering: Promise<MetricsText> | undefined;
  let keptUntilMs = Number.NEGATIVE_INFINITY;
  const render = async (): Promise<MetricsText> => {
    collect();
    const bytes = await renderInSlices(registry, more(), clock);
    keptUntilMs = clock.monotonicMs() + minIntervalMs;
    return { contentType: registry.contentType, bytes };
  };
  return () => {
    metrics.increment('scrapes_total');
    if (rendering !== undefined && clock.monotonicMs() < keptUntilMs) return rendering;
    keptUntilMs = Number.POSITIVE_INFINITY;
    rendering = render();
    rendering.catch(() => {
      metrics.increment('scrape_failures_total', { type: 'application' });
      rendering = undefined;
    });
    return rendering;
  };
}

/** The text of `registry.metrics()`, which renders without pauses, and more lines. */
async function renderInSlices(registry: Registry, more: Iterable<string>, clock: Clock): Promise<Buffer> {
  const parts: Buffer[] = [];
  let sliceStartMs = clock.monotonicMs();
  const pause = async (): Promise<void> => {
    if (clock.monotonicMs() - sliceStartMs < SLICE_MS) return;
    await nextTurn();
    sliceStartMs = clock.monotonicMs();
  };
  for (const { name } of registry.getMetricsAsArray()) {
    const text = await registry.getSingleMetricAsString(name);
    parts.push(Buffer.from(parts.length === 0 ? text : `\n\n${text}`));
    await pause();
  }
  parts.push(Buffer.from('\n'));
  let lines = '';
  for (const line of more) {
    lines += `${line}\n`;
    if (lines.length < LINES_AT_ONCE) continue;
    parts.push(Buffer.from(lines));
    lines = '';
    await pause();
  }
  parts.push(Buffer.from(lines));
  return Buffer.concat(parts);
}
