import type { CompletionTable } from './completion-table.js';

/** A script for `navigator-discovery completion fish | source`. */
export function renderFish({ binary, commands }: CompletionTable): string {
  const all = commands.map(({ name }) => name).join(' ');
  const lines = commands.flatMap(({ name, purpose, flags, words, takesFiles }) => [
    `complete -c ${binary} -n 'not __fish_seen_subcommand_from ${all}' -f -a ${name} -d ${quoted(purpose)}`,
    ...(words.length > 0
      ? [`complete -c ${binary} -n '__fish_seen_subcommand_from ${name}' -f -a '${words.join(' ')}'`]
      : []),
    ...(takesFiles ? [`complete -c ${binary} -n '__fish_seen_subcommand_from ${name}' -F`] : []),
    ...flags.map(({ name: flag, shorthand, meaning, takesValue }) => {
      const short = shorthand === undefined ? '' : ` -s ${shorthand}`;
      const condition = `-n '__fish_seen_subcommand_from ${name}'`;
      return `complete -c ${binary} ${condition} -l ${flag}${short}${takesValue ? ' -r' : ''} -d ${quoted(meaning)}`;
    }),
  ]);
  return `# Completion of ${binary} for fish: ${binary} completion fish | source\n${lines.join('\n')}\n`;
}

function quoted(text: string): string {
  return `'${text.replaceAll(/[\\']/g, '\\$&')}'`;
}
