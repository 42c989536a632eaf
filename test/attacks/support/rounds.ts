import type { Random } from './random.js';

/**
 * The rounds of a run; the attacks of a round run at the same time.
 *
 * @param names attacks, or several joined by +
 * @param kind `neighbours`: each beside the next one; `random pairs`: every pair once, in random order
 */
export function chooseRounds(
  names: readonly string[],
  kind: 'alone' | 'neighbours' | 'random pairs',
  random: Random,
): readonly (readonly string[])[] {
  const rounds = names.map((name) => name.split('+'));
  if (kind === 'alone') return rounds;
  if (kind === 'neighbours')
    return rounds.map((round, index) => [...round, ...(rounds[(index + 1) % rounds.length] ?? [])]);
  const pairs = rounds.flatMap((first, index) => rounds.slice(index + 1).map((second) => [...first, ...second]));
  for (let last = pairs.length - 1; last > 0; last--) {
    const chosen = random.integer(last + 1);
    [pairs[last], pairs[chosen]] = [pairs[chosen] ?? [], pairs[last] ?? []];
  }
  return pairs;
}
