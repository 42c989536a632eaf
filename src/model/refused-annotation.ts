/** An annotation that cannot be used. */
export interface RefusedAnnotation {
  readonly annotation: string;
  readonly value: string;
  /** What holds instead, after the value: `counts as FAIL_CLOSE`. */
  readonly problem: string;
  /** What to write instead. */
  readonly remedy: string;
  /** Present where not the value is wrong: objects of this kind have no such annotation. */
  readonly isUnknown?: true;
}

const MAX_SHOWN = 100;

/** A value as messages show it. */
export function shownValue(text: string): string {
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
}
