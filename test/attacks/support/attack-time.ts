/**
 * Aborts when an attack is told to end, or its time is up. Not AbortSignal.any of AbortSignal.timeout: Node.js 20 may
 * collect the timeout as garbage, and then it never comes.
 */
export function attackTime(signal: AbortSignal, durationMs = 10_000): AbortSignal {
  const controller = new AbortController();
  const end = (): void => {
    clearTimeout(timer);
    controller.abort();
  };
  const timer = setTimeout(end, durationMs);
  signal.addEventListener('abort', end, { once: true });
  return controller.signal;
}
