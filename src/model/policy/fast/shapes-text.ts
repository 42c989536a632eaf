import type { QuotaShape, QuotaShapes } from './quota-shapes.js';

/** The longest text that a control plane takes: it keeps the text of each policy server. */
export const MAX_SHAPES_LENGTH = 65_536;

/** Writes the forms of a policy server's limits for its node metadata: dimensions by quota, null for a list of keys. */
export function shapesText(shapes: QuotaShapes): string {
  const entries = [...shapes].map(([quota, { dimensions, hasKeyList }]) => [quota, hasKeyList ? null : dimensions]);
  return JSON.stringify(Object.fromEntries(entries));
}

/** Reads what `shapesText` has written; undefined for any other text. */
export function readShapesText(text: string): QuotaShapes | undefined {
  if (text.length > MAX_SHAPES_LENGTH) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) return undefined;
  const shapes = new Map<string, QuotaShape>();
  for (const [quota, dimensions] of Object.entries(read as Record<string, unknown>)) {
    if (dimensions === null) shapes.set(quota, { dimensions: [], hasKeyList: true });
    else if (isTexts(dimensions)) shapes.set(quota, { dimensions, hasKeyList: false });
    else return undefined;
  }
  return shapes;
}

function isTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
