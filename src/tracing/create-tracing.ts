import { randomBytes } from 'node:crypto';
import type { Clock } from '../base/clock.js';
import { settledWithin } from '../base/settled-within.js';
import type { OtlpProtocol } from '../otlp/otlp-encoder.js';
import { createLimitedLog } from '../telemetry/limited-log.js';
import type { Logger } from '../telemetry/logger.js';
import type { Metrics } from '../telemetry/metrics.js';
import { type ChangeTracer, createChangeTracer } from './change-tracer.js';
import { createOtlpExporter } from './otlp-exporter.js';
import { otlpTrace } from './otlp-trace.js';

/** The settings of OpenTelemetry that are supported. */
export interface TracingSettings {
  /** Of the collector; empty: no traces. */
  readonly url: string;
  /** The variable with the URL, for messages. */
  readonly setting: string;
  readonly protocol: OtlpProtocol;
  readonly headers: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly serviceVersion: string;
  /** Attributes of this process. */
  readonly resource: Readonly<Record<string, string>>;
}

export interface TracingParts {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'increment'>;
  readonly shortTypeName: (typeUrl: string) => string;
}

/** Traces of changes, sent to a collector. */
export interface Tracing {
  readonly tracer: ChangeTracer;
  /** Sends what is known of the open changes. */
  stop(): Promise<void>;
}

/** A stop waits no longer for the collector. */
const STOP_MS = 2_000;

/** @returns undefined without a URL */
export function createTracing(settings: TracingSettings, parts: TracingParts): Tracing | undefined {
  if (settings.url === '') return undefined;
  const { clock, logger, metrics, shortTypeName } = parts;
  const exporter = createOtlpExporter({
    ...settings,
    log: createLimitedLog(logger, clock),
    onResult: (result) => metrics.increment('nav_trace_exports', { result }),
  });
  const tracer = createChangeTracer({
    clock,
    shortTypeName,
    onTrace: (trace) => {
      const epochMs = clock.now().getTime() - clock.monotonicMs();
      const randomId = (bytes: number) => randomBytes(bytes).toString('hex');
      exporter.enqueue(() => otlpTrace(trace, { ...settings, epochMs, randomId }));
    },
  });
  return {
    tracer,
    stop: async () => {
      tracer.stop();
      await settledWithin(exporter.flush(), STOP_MS, clock);
    },
  };
}
