import type { TemplateSegment, UriTemplate } from '../../../config/policy/uri-template.js';

/** Whether some path matches both templates. In time proportional to the product of their lengths. */
export function templatesOverlap(first: UriTemplate, second: UriTemplate): boolean {
  if (first.verb !== second.verb) return false;
  const columns = second.segments.length;
  // row[j]: whether the segments of `first` from i on and those of `second` from j on can take the same path.
  let below = restsFrom(second.segments);
  for (const segment of first.segments.toReversed()) {
    const row: boolean[] = new Array(columns + 1).fill(false);
    row[columns] = segment.type === 'rest' && below[columns] === true;
    for (let j = columns - 1; j >= 0; j--) {
      row[j] = overlapAt(segment, second.segments[j], { below: below[j], right: row[j + 1], both: below[j + 1] });
    }
    below = row;
  }
  return below[0] === true;
}

/** Against nothing left, only `rest` segments can stand. */
function restsFrom(segments: readonly TemplateSegment[]): readonly boolean[] {
  const row: boolean[] = [true];
  for (const { type } of segments.toReversed()) row.unshift(type === 'rest' && row[0] === true);
  return row;
}

interface Neighbours {
  /** The first template's segment is done with. */
  readonly below: boolean | undefined;
  /** The second template's segment is done with. */
  readonly right: boolean | undefined;
  readonly both: boolean | undefined;
}

function overlapAt(first: TemplateSegment, second: TemplateSegment | undefined, next: Neighbours): boolean {
  if (second === undefined) return false;
  // `rest` takes nothing, or one segment that the other gives, and goes on.
  if (first.type === 'rest' || second.type === 'rest') return next.below === true || next.right === true;
  return next.both === true && segmentsOverlap(first, second);
}

function segmentsOverlap(first: TemplateSegment, second: TemplateSegment): boolean {
  if (first.type === 'literal' && second.type === 'literal') return first.value === second.value;
  if (first.type === 'literal') return fits(first.value, second);
  return second.type !== 'literal' || fits(second.value, first);
}

function fits(value: string, segment: TemplateSegment): boolean {
  return segment.type !== 'single' || segment.maxLength === undefined || value.length <= segment.maxLength;
}
