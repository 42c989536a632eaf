/**
 * Goes on with a value at once, or when its promise settles. What needs no waiting takes no turn of the event loop, and an
 * error of the next step is thrown at once.
 */
export function whenSettled<Value, Result>(
  value: Value | Promise<Value>,
  next: (value: Value) => Result | Promise<Result>,
): Result | Promise<Result> {
  return value instanceof Promise ? value.then(next) : next(value);
}
