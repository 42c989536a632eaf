/** One mistake in an object, with its remedy. */
export interface Violation {
  /** The field, as in the file: `spec.ports[0].number`; empty for the object itself. */
  readonly path: string;
  /** The value of the field; absent if the field is missing. */
  readonly value?: unknown;
  /** The mistake, without a subject: `is not a port number`. */
  readonly message: string;
  /** The correction, as an instruction: `use 1 to 65535`. */
  readonly remedy: string;
}

/** Listed violations of one object. Further violations are only counted. */
export const MAX_LISTED_VIOLATIONS = 100;

/** Limits the list of violations. @param omitted violations that the caller has left out already */
export function boundViolations(violations: readonly Violation[], omitted = 0): readonly Violation[] {
  const more = omitted + Math.max(0, violations.length - MAX_LISTED_VIOLATIONS);
  if (more === 0) return violations;
  const summary = { path: '', message: `breaks ${more} more rules that are not listed`, remedy: 'correct these first' };
  return [...violations.slice(0, MAX_LISTED_VIOLATIONS), summary];
}

/** The object that has a violation. */
export interface Subject {
  readonly kind: string;
  /** Empty for cluster-scoped kinds, and if it is unknown. */
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

/**
 * The value of the field and the mistake, without the remedy: `"x" is not a port number`. If the name is the mistake, the
 * name in place of the value: `"routes" is not a known field`.
 */
export function shownFinding({ path, value, message }: Violation): string {
  const name = /^is not a (?:known )?field\b/.test(message) ? /[A-Za-z0-9_-]+$/.exec(path)?.[0] : undefined;
  if (name !== undefined) return `"${name}" ${message}`;
  return value === undefined ? message : `${shownValue(value)} ${message}`;
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
