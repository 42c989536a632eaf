const GIVE_UP_MS = 30_000;
const LOOK_EVERY_MS = 5;

/** Waits until a condition holds; fails with what it was waiting for. */
export async function waitUntil(condition: () => boolean, what: string): Promise<void> {
  const deadline = performance.now() + GIVE_UP_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`gave up waiting until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
