import { performance } from 'node:perf_hooks';
import type { ReadLoad } from './admission.js';

const MICROSECONDS_PER_MILLISECOND = 1000;

/** Reads the use of the event loop and the processor time of the process since the last call. */
export function createLoadReader(): ReadLoad {
  let loop = performance.eventLoopUtilization();
  let cpu = process.cpuUsage();
  return () => {
    const currentLoop = performance.eventLoopUtilization();
    const currentCpu = process.cpuUsage();
    const { utilization } = performance.eventLoopUtilization(currentLoop, loop);
    const cpuUs = currentCpu.user - cpu.user + currentCpu.system - cpu.system;
    loop = currentLoop;
    cpu = currentCpu;
    return { use: utilization, cpuMs: cpuUs / MICROSECONDS_PER_MILLISECOND };
  };
}
