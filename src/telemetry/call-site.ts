const FRAMES = 12;

/**
 * The stack above the function that is passed, one `at …` per line.
 *
 * @param below a function on the stack; it and what it called are left out
 */
export function captureStack(below: (...values: never[]) => unknown): string {
  const holder: { stack?: string } = {};
  const limit = Error.stackTraceLimit;
  Error.stackTraceLimit = FRAMES;
  Error.captureStackTrace(holder, below);
  Error.stackTraceLimit = limit;
  // The first line is the name and message of an error, which is none here.
  return (holder.stack ?? '').split('\n').slice(1).join('\n');
}

/** `folder/file.js:line` of a stack's first frame; empty when it has none. */
export function callSiteOf(stack: string): string {
  const location = /\(?((?:file:\/\/)?[^()\s]+):(\d+):\d+\)?$/.exec(stack.split('\n', 1)[0] ?? '');
  const path = location?.[1] ?? '';
  return location === null ? '' : `${path.split('/').slice(-2).join('/')}:${location[2]}`;
}
