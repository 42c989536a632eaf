import type { CompletionTable } from './completion-table.js';

/** A script for `source <(navigator-discovery completion bash)`. It needs bash 4. */
export function renderBash({ binary, commands }: CompletionTable): string {
  const functionName = `_${binary.replaceAll('-', '_')}`;
  const cases = commands.map(({ name, flags, words, takesFiles }) => {
    const withValue = flags.filter(({ takesValue }) => takesValue).map((flag) => `--${flag.name}`);
    return [
      `    ${name})`,
      `      flags='${[...flags.map((flag) => `--${flag.name}`), '--help'].join(' ')}'`,
      `      values=' ${withValue.join(' ')} '`,
      `      words='${words.join(' ')}'`,
      `      files=${takesFiles ? 1 : 0}`,
      '      ;;',
    ].join('\n');
  });
  return `# Completion of ${binary} for bash: source <(${binary} completion bash)
${functionName}() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD-1]} command=\${COMP_WORDS[1]}
  local flags='' values=' ' words='' files=0
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -W '${commands.map(({ name }) => name).join(' ')}' -- "$current")
    return
  fi
  case $command in
${cases.join('\n')}
  esac
  if [[ $values == *" $previous "* ]]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  elif [[ $current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$current")
  elif [ "$files" -eq 1 ]; then
    mapfile -t COMPREPLY < <(compgen -f -- "$current")
  else
    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$current")
  fi
}
complete -o filenames -F ${functionName} ${binary}
`;
}
