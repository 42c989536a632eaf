/** A step from a value to one inside it. */
type Step = string | number;

/**
 * The first place of a field in a spec: `services[].name` is `['services', 0, 'name']`, or that of the second service
 * if the first has no name. Undefined if the spec does not have the field.
 */
export function placeOf(spec: unknown, path: string): readonly Step[] | undefined {
  const parts = path.match(/\[\]|\{\}|[^.[\]{}]+/g) ?? [];
  return find(spec, parts, []);
}

function find(value: unknown, parts: readonly string[], place: readonly Step[]): readonly Step[] | undefined {
  const [part, ...rest] = parts;
  if (part === undefined) return place;
  if (typeof value !== 'object' || value === null) return undefined;
  const steps: readonly Step[] =
    part === '[]' ? [...(value as unknown[]).keys()] : part === '{}' ? Object.keys(value) : [part];
  for (const step of steps) {
    if (!Object.hasOwn(value, step)) continue;
    const found = find((value as Record<Step, unknown>)[step], rest, [...place, step]);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** A place as in messages: `spec.rules[0].match[0].clause["request.path"]`. */
export function placeText(place: readonly Step[]): string {
  return place.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    return /^[A-Za-z_][A-Za-z0-9_]*$/.test(step) ? `${text}.${step}` : `${text}[${JSON.stringify(step)}]`;
  }, 'spec');
}

/** A copy of a spec with another value at a place. */
export function plant(spec: unknown, place: readonly Step[], change: (old: unknown) => unknown): unknown {
  const [step, ...rest] = place;
  if (step === undefined) return change(spec);
  const copy = Array.isArray(spec) ? [...spec] : { ...(spec as object) };
  (copy as Record<Step, unknown>)[step] = plant((copy as Record<Step, unknown>)[step], rest, change);
  return copy;
}
