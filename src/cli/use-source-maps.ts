/**
 * Makes stack traces name files and lines of `src/` where they would name those of the bundle. It takes memory and time
 * for each file that is loaded from now on, so it is called before the server is loaded, and only where callers are logged.
 */
export function useSourceMaps(): void {
  process.setSourceMapsEnabled(true);
}
