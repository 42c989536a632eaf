import type { TemplateSegment, UriTemplate } from '../../../config/policy/uri-template.js';

/** Whether a path matches both templates. Takes time proportional to the product of their lengths. */
export function templatesOverlap(first: UriTemplate, second: UriTemplate): boolean {
  if (first.verb !== second.verb) return false;
  const columns = second.segments.length;
  // row[j]: whether the segments of `first` from i on and those of `second` from j on can match the same path.
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

/** Whether the segments from each position on match an empty path, which only `rest` segments do. */
function restsFrom(segments: readonly TemplateSegment[]): readonly boolean[] {
  const row: boolean[] = [true];
  for (const { type } of segments.toReversed()) row.unshift(type === 'rest' && row[0] === true);
  return row;
}

interface Neighbours {
  /** Continues after the first template's segment. */
  readonly below: boolean | undefined;
  /** Continues after the second template's segment. */
  readonly right: boolean | undefined;
  readonly both: boolean | undefined;
}

function overlapAt(first: TemplateSegment, second: TemplateSegment | undefined, next: Neighbours): boolean {
  if (second === undefined) return false;
  // `rest` either ends here, or matches one segment of the other template and continues.
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
