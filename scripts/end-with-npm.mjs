// If npm gets a signal (other than by Ctrl-C in a terminal), it ends its shell but not this process.

/** Ends the child process when npm ends or this process ends, for any reason. */
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
