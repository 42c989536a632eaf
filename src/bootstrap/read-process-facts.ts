import { readFileSync } from 'node:fs';
import { hostname, networkInterfaces, tmpdir } from 'node:os';
import { basename } from 'node:path';
import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { Registry } from 'prom-client';
import type { Clock } from '../base/clock.js';
import type { ProcessFacts } from '../introspection/topics/process-facts.js';
import type { BuildInfo } from '../telemetry/build-info.js';
import type { Logging } from '../telemetry/logging.js';
import { SCOPE_DESCRIPTIONS } from '../telemetry/scope-descriptions.js';

export interface ProcessFactsParts {
  readonly logging: Logging;
  readonly registry: Registry;
  readonly build: BuildInfo;
  readonly clock: Clock;
}

const EXIT_DELAY_MS = 1_000;

export interface WatchedProcess extends ProcessFacts {
  /** Counts garbage collections from now on. */
  start(): void;
  stop(): void;
}

/** Reads and changes the running process for the introspection facility. */
export function readProcessFacts({ logging, registry, build, clock }: ProcessFactsParts): WatchedProcess {
  const logger = logging.scope('default');
  let collections = 0;
  const observer = new PerformanceObserver((list) => {
    collections += list.getEntries().length;
  });
  return {
    scopes: () =>
      [...logging.scopes()]
        .map(([name, { outputLevel, stacktraceLevel, caller }]) => ({
          name,
          description: SCOPE_DESCRIPTIONS[name],
          outputLevel,
          stackTraceLevel: stacktraceLevel,
          logCallers: caller,
        }))
        .toSorted((first, second) => (first.name < second.name ? -1 : 1)),
    changeScope: (name, { outputLevel, stackTraceLevel, logCallers }) => {
      const scope = [...logging.scopes().keys()].find((each) => each === name);
      if (scope === undefined) return false;
      logging.change(scope, {
        ...(outputLevel && { outputLevel }),
        ...(stackTraceLevel && { stacktraceLevel: stackTraceLevel }),
        ...(logCallers === undefined ? {} : { caller: logCallers }),
      });
      logger.info({ changed: scope, outputLevel, stackTraceLevel, logCallers }, 'logging scope changed');
      return true;
    },
    memory: () => {
      const { heapUsed, heapTotal, rss, external, arrayBuffers } = process.memoryUsage();
      const { heap_size_limit, malloced_memory, number_of_native_contexts } = getHeapStatistics();
      return {
        Alloc: heapUsed + external,
        Sys: rss,
        HeapAlloc: heapUsed,
        HeapSys: heapTotal,
        HeapIdle: heapTotal - heapUsed,
        HeapInuse: heapUsed,
        HeapLimit: heap_size_limit,
        External: external,
        ArrayBuffers: arrayBuffers,
        Malloced: malloced_memory,
        NativeContexts: number_of_native_contexts,
        NumGC: collections,
      };
    },
    collectGarbage: () => {
      // Node exposes the collector only with a flag, which V8 also takes at run time.
      setFlagsFromString('--expose-gc');
      (runInNewContext('gc') as () => void)();
      setFlagsFromString('--no-expose-gc');
    },
    environment: () => Object.entries(process.env).map(([name, value = '']) => [name, value] as const),
    arguments: () => process.argv,
    ids: () => ({
      egid: process.getegid?.() ?? -1,
      euid: process.geteuid?.() ?? -1,
      gid: process.getgid?.() ?? -1,
      groups: process.getgroups?.() ?? [],
      pid: process.pid,
      ppid: process.ppid,
      uid: process.getuid?.() ?? -1,
      wd: process.cwd(),
      hostname: hostname(),
      tempdir: tmpdir(),
      threads: countThreads(),
      goroutines: process.getActiveResourcesInfo().length,
    }),
    processName: basename(process.argv[1] ?? process.title).replace(/\.js$/, ''),
    hostAddress: firstAddress(),
    version: {
      version: build.version,
      revision: build.revision,
      golang_version: build.runtime,
      status: build.status,
      tag: build.tag,
    },
    metrics: async () =>
      (await registry.getMetricsAsJSON()).flatMap(({ name, values }) =>
        values.map((sample) => ({
          name: 'metricName' in sample && typeof sample.metricName === 'string' ? sample.metricName : name,
          labels: Object.fromEntries(Object.entries(sample.labels).map(([label, text]) => [label, text ?? ''])),
          value: sample.value,
        })),
      ),
    signal: () => {
      logger.info({ signal: 'SIGUSR1' }, 'signal sent by the introspection facility');
      process.emit('SIGUSR1', 'SIGUSR1');
    },
    exit: () => {
      logger.info({}, 'end of the process requested by the introspection facility');
      clock.schedule(EXIT_DELAY_MS, () => process.kill(process.pid, 'SIGTERM'));
    },
    start: () => observer.observe({ entryTypes: ['gc'] }),
    stop: () => observer.disconnect(),
  };
}

/** 0 where the system does not tell. */
function countThreads(): number {
  try {
    return Number(/^Threads:\s*(\d+)/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0);
  } catch {
    return 0;
  }
}

/** The first address that other machines may reach; a loopback address without one. */
function firstAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((list = []) => list);
  return addresses.find(({ internal }) => !internal)?.address ?? '127.0.0.1';
}
