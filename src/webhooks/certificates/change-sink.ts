import type { ReflectorSink } from '../../kubernetes/watch/reflector.js';

/** For whoever wants to know that a list has changed, and reads afresh what it needs. */
export function createChangeSink(onChange: () => void): ReflectorSink {
  return {
    replace: () => ({ add: () => undefined, commit: onChange }),
    apply: onChange,
    isEmpty: () => true,
  };
}
