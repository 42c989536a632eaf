import { MAX_YAML_DEPTH } from './yaml-limits.js';

/** Aliases in a short document may repeat this many values before it counts as an attack. */
const FREE_NODES = 10_000;

/**
 * Walks a parsed value as every later reader will, and says what makes it dangerous to: aliases that expand
 * to more values than the text has characters ("YAML bomb"), nesting through aliases, `__proto__` keys.
 */
export function findHazard(value: unknown, textLength: number): string | undefined {
  let nodesLeft = Math.max(FREE_NODES, textLength);
  const visit = (node: unknown, depth: number): string | undefined => {
    nodesLeft--;
    if (nodesLeft < 0) return 'aliases expand to far more than the text itself; write the values out';
    if (typeof node !== 'object' || node === null) return undefined;
    if (depth >= MAX_YAML_DEPTH) return `the nesting is deeper than ${MAX_YAML_DEPTH} levels; flatten it`;
    if (Array.isArray(node)) {
      for (const item of node) {
        const hazard = visit(item, depth + 1);
        if (hazard !== undefined) return hazard;
      }
      return undefined;
    }
    for (const [key, item] of Object.entries(node)) {
      if (key === '__proto__') return 'the key __proto__ is not allowed; rename it';
      const hazard = visit(item, depth + 1);
      if (hazard !== undefined) return hazard;
    }
    return undefined;
  };
  return visit(value, 0);
}
