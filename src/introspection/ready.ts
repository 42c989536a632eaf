/** Whether something is ready to serve, and if not, why. */
export type Readiness = { readonly ready: true } | { readonly ready: false; readonly reason: string };

/** One condition of `/ready` (BEHAVIOUR 2): caches synced, later also the webhook server's own answer. */
export interface ReadinessProbe {
  readonly name: string;
  /** A probe that does I/O bounds it by itself. One that throws or rejects is not ready. */
  check(): Readiness | Promise<Readiness>;
}

/** Asks all probes at once; the reason names every one that is not ready. */
export async function checkReadiness(probes: readonly ReadinessProbe[]): Promise<Readiness> {
  const failures = await Promise.all(probes.map(failureOf));
  const reasons = failures.filter((failure) => failure !== undefined);
  return reasons.length === 0 ? { ready: true } : { ready: false, reason: reasons.join('; ') };
}

async function failureOf(probe: ReadinessProbe): Promise<string | undefined> {
  try {
    const result = await probe.check();
    return result.ready ? undefined : `${probe.name}: ${result.reason}`;
  } catch (error) {
    return `${probe.name}: ${error instanceof Error ? error.message : String(error)}`;
  }
}
