/** Lets a bounded number of texts be labels. */
export type LabelLimit = (text: string) => string;

/** What stands for texts beyond the limit. */
const OTHER = 'other';

/** Longer texts are no names of anything: they would fill the memory of whoever stores metrics. */
const MAX_LENGTH = 253;

/**
 * Every series stays for good, so the first `limit` texts are labels and all later ones are `other`.
 *
 * @param limit of different texts
 */
export function createLabelLimit(limit: number): LabelLimit {
  const known = new Set<string>();
  return (text) => {
    if (known.has(text)) return text;
    if (known.size >= limit || text.length > MAX_LENGTH) return OTHER;
    known.add(text);
    return text;
  };
}
