import type { Service } from './service.js';

/** Oldest first, then by hostname and namespace: the order in which conflicts are decided. */
export function compareServices(first: Service, second: Service): number {
  return (
    compareAge(first.creationTimestamp, second.creationTimestamp) ||
    compareText(first.hostname, second.hostname) ||
    compareText(first.namespace, second.namespace)
  );
}

/** Older first; what does not say when it was made counts as the newest. */
export function compareAge(first: string, second: string): number {
  if (first === second) return 0;
  return compareNumbers(timeOf(first), timeOf(second));
}

/** By UTF-16 code units: the same everywhere, whatever the locale. */
export function compareText(first: string, second: string): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}

function timeOf(timestamp: string): number {
  const time = Date.parse(timestamp);
  return Number.isNaN(time) ? Number.POSITIVE_INFINITY : time;
}

function compareNumbers(first: number, second: number): number {
  if (first === second) return 0;
  return first < second ? -1 : 1;
}
