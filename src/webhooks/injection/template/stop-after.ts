import { createContext, Script } from 'node:vm';

/** Thrown for work that took longer than it may. */
export class TimeLimitError extends Error {
  readonly code = 'TIME_LIMIT';

  constructor(limitMs: number) {
    super(`took longer than ${limitMs} ms`);
    this.name = 'TimeLimitError';
  }
}

/** Runs synchronous work, and stops it in the middle of whatever it does when its time is up. */
export type StopAfter = <Result>(limitMs: number, work: () => Result) => Result;

/**
 * The engine's own time limit is looked at between tags; a filter can work on for long after it. The timeout of
 * `node:vm` ends JavaScript of this realm too, as long as the script called it.
 */
export function createStopAfter(): StopAfter {
  const sandbox: { work?: () => void } = {};
  const context = createContext(sandbox);
  const script = new Script('work()');
  return (limitMs, work) => {
    const outcome: { result?: ReturnType<typeof work> } = {};
    sandbox.work = () => {
      outcome.result = work();
    };
    try {
      script.runInContext(context, { timeout: limitMs });
    } catch (error) {
      if (isTimeout(error)) throw new TimeLimitError(limitMs);
      throw error;
    } finally {
      delete sandbox.work;
    }
    return outcome.result as ReturnType<typeof work>;
  };
}

function isTimeout(error: unknown): boolean {
  return (
    typeof error === 'object' && error !== null && 'code' in error && error.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT'
  );
}
