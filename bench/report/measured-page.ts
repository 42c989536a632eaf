/** A run whose text is part of a page. */
export interface MeasuredSection {
  /** Names its place in the page: `<!-- run: NAME -->` to `<!-- end of run -->`. */
  readonly name: string;
  /** Arguments of `npm run bench --`. */
  readonly args: readonly string[];
}

/** The floor cannot tell the delta messages of scopes apart: the two runs are compared with each other. */
const MANY_NAMESPACES: readonly string[] = [
  ...['--protocol', 'delta', '--clients', '500', '--namespaces', '50', '--repeat', '5'],
  ...['--phases', 'first-sync', '--no-floor'],
];

/** The runs of docs/performance.md: minutes on two cores with nothing else running. */
export const MEASURED_SECTIONS: readonly MeasuredSection[] = [
  { name: 'reference', args: [] },
  { name: 'delta', args: ['--protocol', 'delta', '--clients', '500', '--repeat', '15'] },
  {
    name: 'few-clients',
    args: ['--protocol', 'delta', '--clients', '200', '--repeat', '15', '--phases', 'endpoint,service'],
  },
  {
    name: 'large-mesh',
    args: [
      '--protocol',
      'delta',
      '--services',
      '5000',
      '--clients',
      '20',
      '--repeat',
      '5',
      '--phases',
      'first-sync,endpoint,service',
      '--no-floor',
    ],
  },
  { name: 'routes', args: ['--routed', '100', '--phases', 'route', '--protocol', 'delta', '--clients', '500'] },
  { name: 'on-demand', args: ['--protocol', 'delta', '--on-demand', '--clients', '500', '--repeat', '2'] },
  { name: 'one-scope', args: MANY_NAMESPACES },
  { name: 'scopes', args: [...MANY_NAMESPACES, '--scopes', '50'] },
  {
    name: 'storm',
    args: ['--protocol', 'delta', '--phases', 'storm', '--clients', '2000', '--repeat', '5', '--no-floor'],
  },
  { name: 'connections', args: ['connections', '--repeat', '2', '--settle', '10'] },
];

const END = '<!-- end of run -->';

/**
 * Puts the text of a run into its place, as a block of code below its command.
 *
 * @throws RangeError if the page has no place of that name
 */
export function putIntoPage(page: string, { name, args }: MeasuredSection, text: string): string {
  const begin = `<!-- run: ${name} -->`;
  const from = page.indexOf(begin);
  const to = page.indexOf(END, from);
  if (from < 0 || to < 0) throw new RangeError(`The page has no place for the run ${name}: ${begin} … ${END}.`);
  const command = ['npm run bench', ...(args.length === 0 ? [] : ['--', ...args])].join(' ');
  const block = `${begin}\n\n\`\`\`\n$ ${command}\n${text.trimEnd()}\n\`\`\`\n\n`;
  return page.slice(0, from) + block + page.slice(to);
}
