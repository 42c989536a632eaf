/** One thing that is wrong with an object, in terms that its author can act on. */
export interface Violation {
  /** Where, as written in the file: `spec.ports[0].number`; empty for the object itself. */
  readonly path: string;
  /** What was found there; absent when nothing was. */
  readonly value?: unknown;
  /** What is wrong with it. */
  readonly message: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** Violations of one object that are told; of those beyond, their number is. */
export const MAX_TOLD_VIOLATIONS = 100;

/** @param omitted violations that were left out before */
export function boundViolations(violations: readonly Violation[], omitted = 0): readonly Violation[] {
  const more = omitted + Math.max(0, violations.length - MAX_TOLD_VIOLATIONS);
  if (more === 0) return violations;
  const summary = { path: '', message: `breaks ${more} more rules that are not listed`, remedy: 'correct these first' };
  return [...violations.slice(0, MAX_TOLD_VIOLATIONS), summary];
}

/** Whom a violation is about. */
export interface Subject {
  readonly kind: string;
  /** Empty for cluster-scoped kinds, and when it is not known. */
  readonly namespace: string;
  readonly name: string;
}

const MAX_SHOWN_VALUE = 80;

/** Kind and name of an object as messages show them: `ServiceEntry shop/payments`. */
function formatSubject(subject: Subject): string {
  const name = subject.name === '' ? '(no name)' : subject.name;
  return `${subject.kind} ${subject.namespace === '' ? name : `${subject.namespace}/${name}`}`;
}

/** One line: `ServiceEntry shop/payments: spec.ports[0].number: 0: is below 1; choose a port from 1 to 65535`. */
export function formatViolation(subject: Subject, violation: Violation): string {
  return `${formatSubject(subject)}: ${formatFinding(violation)}`;
}

/** The same without the object, for files that hold no object (mesh config). */
export function formatFinding(violation: Violation): string {
  const value = violation.value === undefined ? [] : [shownValue(violation.value)];
  const path = violation.path === '' ? [] : [violation.path];
  return [...path, ...value, `${violation.message}; ${violation.remedy}`].join(': ');
}

function shownValue(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? '[]' : `a list of ${value.length}`;
  if (typeof value === 'object' && value !== null) return Object.keys(value).length === 0 ? '{}' : 'a mapping';
  const shown = (typeof value === 'number' ? undefined : JSON.stringify(value)) ?? String(value);
  return shown.length > MAX_SHOWN_VALUE ? `${shown.slice(0, MAX_SHOWN_VALUE)}…` : shown;
}

/** Adds one step to a path: `.field`, `[3]`, or `["a key/that needs quotes"]`. */
export function childPath(path: string, step: string | number): string {
  if (typeof step === 'number') return `${path}[${step}]`;
  if (!/^[A-Za-z_][A-Za-z0-9_-]*$/.test(step)) return `${path}[${JSON.stringify(step)}]`;
  return path === '' ? step : `${path}.${step}`;
}

/** Appends a path below another one. */
export function joinPath(parent: string, path: string): string {
  if (parent === '' || path === '') return parent + path;
  return path.startsWith('[') ? parent + path : `${parent}.${path}`;
}
