/**
 * Aborts when the attack gets a signal or its time is over. AbortSignal.any with AbortSignal.timeout does not work:
 * Node.js 20 may collect the timeout as garbage, and it never fires.
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
