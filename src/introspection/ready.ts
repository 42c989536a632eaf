import { errorText } from '../base/error-text.js';
/** Whether a component is ready, and the reason if it is not. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** One condition of `/ready` (docs/reference/http.md#probes), for example: the sources have synced. */
export interface ReadinessProbe {
  readonly name: string;
  /** Must limit the time of its own I/O. An error means not ready. */
  check(): Readiness | Promise<Readiness>;
}

/** Runs all probes in parallel. The reason names every probe that is not ready. */
export async function checkReadiness(probes: readonly ReadinessProbe[]): Promise<Readiness> {
  const failures = await Promise.all(probes.map(findFailure));
  const reasons = failures.filter((failure) => failure !== undefined);
  return reasons.length === 0 ? { ready: true } : { ready: false, reason: reasons.join('; ') };
}

async function findFailure(probe: ReadinessProbe): Promise<string | undefined> {
  try {
    const result = await probe.check();
    return result.ready ? undefined : `${probe.name}: ${result.reason}`;
  } catch (error) {
    return `${probe.name}: ${errorText(error)}`;
  }
}
