// npm that is told to end (other than by a terminal's Ctrl-C) ends the shell between itself and us, and leaves us.

/** Ends the child process with us: when npm is gone, and when we end for whatever reason. */
export function endWithNpm(child) {
  process.on('exit', () => child.kill('SIGTERM'));
  if (process.env.npm_lifecycle_event === undefined) return;
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(watch);
    child.kill('SIGTERM');
  }, 250);
  watch.unref();
}
