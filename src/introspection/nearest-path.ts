/** Longer paths are not worth comparing. */
const MAX_LENGTH = 100;

/** The known path that looks most like the given one; undefined when none does. */
export function nearestPath(path: string, known: readonly string[]): string | undefined {
  const wanted = path.slice(0, MAX_LENGTH).toLowerCase();
  let nearest: string | undefined;
  let best = Math.ceil(wanted.length / 2);
  for (const candidate of known) {
    const distance = editDistance(wanted, candidate.toLowerCase());
    if (distance < best) {
      best = distance;
      nearest = candidate;
    }
  }
  return nearest;
}

function editDistance(from: string, to: string): number {
  let previous = Array.from({ length: to.length + 1 }, (_, index) => index);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const substitution = (previous[column - 1] ?? 0) + (from[row - 1] === to[column - 1] ? 0 : 1);
      current.push(Math.min(substitution, (previous[column] ?? 0) + 1, (current[column - 1] ?? 0) + 1));
    }
    previous = current;
  }
  return previous[to.length] ?? 0;
}
