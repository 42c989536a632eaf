import { createContext, Script } from 'node:vm';

/** The work took longer than its limit. */
export class TimeLimitError extends Error {
  readonly code = 'TIME_LIMIT';

  constructor(limitMs: number) {
    super(`took longer than ${limitMs} ms`);
    this.name = 'TimeLimitError';
  }
}

/** Runs synchronous work, and interrupts it when its time is up. */
export type StopAfter = <Result>(limitMs: number, work: () => Result) => Result;

/**
 * The engine checks its own time limit only between tags, so a filter can run much longer. The timeout of `node:vm`
 * also interrupts functions of this realm that the script calls.
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
