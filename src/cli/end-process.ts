/** Ends the process when nothing is left to do, or at once when its command failed. */
export function endProcess(exitCode: number): void {
  process.exitCode = exitCode;
  if (exitCode !== 0) {
    // A start that failed halfway may have left listeners open, which would keep the process alive.
    process.exit();
  }
}
